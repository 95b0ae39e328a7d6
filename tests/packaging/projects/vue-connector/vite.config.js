import vue from "@vitejs/plugin-vue";

export default {
  plugins: [vue()],
  // Says in the console where what was drawn differs from what is taken over.
  define: { __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "true", __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false" },
  build: { target: "es2022" },
};
