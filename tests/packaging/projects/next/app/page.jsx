// Drawn by the server for each visitor; what the person clicks is drawn in the browser.
import { Calls } from "./calls.jsx";
import { task } from "../task.js";

export const dynamic = "force-dynamic";

export default function Page() {
  return (
    <main>
      <h1>Calls</h1>
      <Calls task={task} />
    </main>
  );
}
