// Starts the page. A file of its own: a careful content security policy allows no script inside of a page.
const { script, wasm } = document.querySelector("script[data-wasm]").dataset;
const { default: start } = await import(script);
await start({ module_or_path: wasm });
