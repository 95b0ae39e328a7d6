import { Inline } from "../inline.jsx";
import { task } from "../../task.js";

export const dynamic = "force-dynamic";

export default function Page() {
  return (
    <main>
      <h1>Call</h1>
      <Inline task={task} />
    </main>
  );
}
