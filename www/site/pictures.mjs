// The pictures of the README: the built element in Chromium, as it is, in light and dark.
//
//   CHROMIUM=… node www/site/pictures.mjs      writes www/pictures/card-light.webp and card-dark.webp, and the first for the package
import { createReadStream, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { launch } from "../../tests/browser/harness/browser.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const built = join(root, "target/npm/countersign");
export const PICTURES = { light: join(root, "www/pictures/card-light.webp"), dark: join(root, "www/pictures/card-dark.webp") };
/** The same in the package: a README on npm shows what stands below its own folder. */
export const PACKED = join(root, "crates/wasm/npm/pictures/card-light.webp");
/** What a picture may weigh, in bytes. */
export const LIMIT = 60_000;

const ask = (id, name, args) =>
  `{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"${id}","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"call-${id}","name":"${name}","args":${args}},"toolConfirmation":{"hint":"","confirmed":false}}}}`;
const CALLS = [
  ask("r1", "transfer_funds", '{"amount":1250.00,"currency":"EUR","to":"DE89370400440532013000","reference":2512292042121000001,"memo":"Invoice 118\\u200b, paid at once"}'),
  ask("r2", "send_email", '{"to":["ann@example.com"],"subject":"Your invoice","urgent":false}'),
];
const TASK = `{"kind":"task","id":"t1","contextId":"c1","history":[],"status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m1","taskId":"t1","parts":[${CALLS.join(",")}]}}}`;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Cards</title><link rel="icon" href="data:,">
<style>html{color-scheme:light dark}body{margin:0;padding:20px;background:light-dark(#f4f3ef,#131315)}main{inline-size:600px}</style>
<main><countersign-inbox adapter="a2a"></countersign-inbox></main>
<script type="module">
  import "./dist/define.js";
  await document.querySelector("countersign-inbox").restore(${JSON.stringify(TASK)});
</script>`;
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

/** The bytes of one picture. */
export async function picture(browser, scheme) {
  const server = createServer(({ url }, response) => {
    const file = join(built, url);
    if (url === "/") return response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" });
    return createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const context = await browser.newContext({ colorScheme: scheme, deviceScaleFactor: 2, viewport: { width: 640, height: 1200 } });
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.locator('[part~="approve-button"]:not([aria-disabled])').first().waitFor();
    await page.locator('[part~="approve-button"]:not([aria-disabled])').nth(1).waitFor();
    const { width, height } = await page.locator("main").boundingBox();
    const clip = { x: 0, y: 0, width: width + 40, height: height + 40, scale: 2 };
    const session = await context.newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60, clip });
    return Buffer.from(data, "base64");
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const browser = await launch();
  mkdirSync(join(root, "www/pictures"), { recursive: true });
  for (const [scheme, file] of Object.entries(PICTURES)) {
    const bytes = await picture(browser, scheme);
    if (bytes.length > LIMIT) throw new Error(`${file} weighs ${bytes.length} bytes, more than ${LIMIT}`);
    writeFileSync(file, bytes);
    if (scheme === "light") writeFileSync(PACKED, bytes);
    console.log(`${file}: ${bytes.length} bytes`);
  }
  await browser.close();
}
