import "countersign/define";

export const Page = () => (
  <main>
    <countersign-inbox ref={(element) => void element.restore("[]")} options={{ adapter: "a2a" }} on:countersign-send={({ detail }) => detail.respondWith(fetch(detail.body))} />
    {/* @ts-expect-error There is no such option. */}
    <countersign-inbox options={{ adaptor: "a2a" }} />
  </main>
);
