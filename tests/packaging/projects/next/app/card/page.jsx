import { Inline } from "../inline.jsx";
import { task } from "../../task.js";

export default function Page() {
  return (
    <main>
      <h1>Call</h1>
      <Inline task={task} />
    </main>
  );
}
