export default { build: { target: "es2022", assetsInlineLimit: 0 } };
