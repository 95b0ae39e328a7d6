// Webpack finds the wasm by itself; it is larger than what webpack thinks any file should be.
export default {
  mode: "production",
  entry: "./main.js",
  output: { filename: "bundle.js", module: true, clean: false },
  performance: { hints: false },
  experiments: { outputModule: true, topLevelAwait: true },
};
