// What the components of the frameworks put into their tags, as a server draws them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

import { folder, root } from "./package.mjs";

/** The exports of a program that imports a framework and the package. */
async function program(name, contents, file = name) {
  const outfile = join(root, `target/components-${file}.mjs`);
  const nodePaths = [join(root, "tests/node_modules")];
  const alias = { [`countersign/${name}`]: join(folder, `dist/${name}.js`) };
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  await build({ stdin: { contents, resolveDir: root }, bundle: true, platform: "node", format: "esm", outfile, nodePaths, alias, banner, logLevel: "error" });
  return import(pathToFileURL(outfile).href);
}

test("countersign/vue draws what stands in the component, and its slot `empty`", async () => {
  const { draw } = await program(
    "vue",
    `import { createSSRApp, h } from "vue";
    import { renderToString } from "vue/server-renderer";
    import { CountersignInbox } from "countersign/vue";
    export const draw = (props, slots) => renderToString(createSSRApp({ render: () => h(CountersignInbox, props, slots) }));`,
  );
  assert.match(await draw({}, { empty: () => "All done." }), /<countersign-inbox[^>]*>.*<div slot="empty">.*All done\..*<\/div>.*<\/countersign-inbox>/);
  assert.match(await draw({}, { default: () => "as in markup" }), /<countersign-inbox[^>]*>.*as in markup.*<\/countersign-inbox>/);
  assert.doesNotMatch(await draw({}), /slot=/);
  const drawn = await draw({ titleBadge: true, hidden: true });
  assert.match(drawn, / title-badge/);
  assert.match(drawn, / hidden/);
  assert.doesNotMatch(await draw({ titleBadge: false }), /title-badge|hidden/);
});

test("countersign/react draws what stands in the component", async () => {
  const { draw } = await program(
    "react",
    `import { createElement } from "react";
    import { renderToString } from "react-dom/server";
    import { CountersignInbox } from "countersign/react";
    export const draw = (props, ...children) => renderToString(createElement(CountersignInbox, props, ...children.map((words) => createElement("p", { slot: "empty", key: words }, words))));`,
  );
  assert.equal(await draw({ titleBadge: true, hidden: true }, "All done."), '<countersign-inbox title-badge="" hidden=""><p slot="empty">All done.</p></countersign-inbox>');
  assert.equal(await draw({ titleBadge: false }), "<countersign-inbox></countersign-inbox>");
});

test("on a server `useConnector` of countersign/react makes nothing; it is told what its connector depends on", async () => {
  const { draw } = await program(
    "react",
    `import { createElement } from "react";
    import { renderToString } from "react-dom/server";
    import { useConnector, useConnectorState } from "countersign/react";
    export const draw = (make, deps) => {
      const Calls = () => {
        const connector = useConnector(make, deps);
        return String(connector) + " " + useConnectorState(connector).state;
      };
      return renderToString(createElement(Calls));
    };`,
    "react-connector",
  );
  const make = () => assert.fail("it made one");
  assert.equal(await draw(make, ["t1"]), "null idle");
  // Without the list it would make one after the other.
  assert.throws(() => draw(make), { code: "options-invalid", message: /list of what its connector depends on/ });
});

test("on a server `useConnector` of countersign/vue makes nothing", async () => {
  const { draw } = await program(
    "vue",
    `import { createSSRApp } from "vue";
    import { renderToString } from "vue/server-renderer";
    import { useConnector, useConnectorState } from "countersign/vue";
    export const draw = (make) => {
      const setup = () => {
        const connector = useConnector(make);
        const { state } = useConnectorState(connector);
        return () => String(connector.value) + " " + state.value;
      };
      return renderToString(createSSRApp({ setup }));
    };`,
    "vue-connector",
  );
  assert.equal(await draw(() => assert.fail("it made one")), "null idle");
});
