// Drawn on the server; what the person clicks is drawn in the browser.
import { Calls } from "./calls.jsx";
import { task } from "../task.js";

export default function Page() {
  return (
    <main>
      <h1>Calls</h1>
      <Calls task={task} />
    </main>
  );
}
