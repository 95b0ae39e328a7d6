import "countersign/define";
import type { CountersignInboxElement } from "countersign";

const ready = (element: CountersignInboxElement | null) => void element?.restore("[]");
export const Page = () => (
  <main>
    <countersign-inbox ref={ready} options={{ adapter: "a2a" }} oncountersign-send={({ detail }) => detail.respondWith(fetch(detail.body))} />
    {/* @ts-expect-error There is no such option. */}
    <countersign-inbox options={{ adaptor: "a2a" }} />
  </main>
);
