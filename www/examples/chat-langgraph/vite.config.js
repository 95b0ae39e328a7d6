import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// While a developer works, the agent is reached through this server: pages never see its address or its token.
const { AGENT = "http://127.0.0.1:8085", TOKEN } = process.env;

const token = {
  name: "token",
  configureServer() {
    if (!TOKEN) throw new Error("say which token the agent wants: TOKEN=… npm run dev");
  },
};

export default defineConfig({
  plugins: [react(), token],
  build: { target: "es2022" },
  server: {
    proxy: {
      "/agent": {
        target: AGENT,
        changeOrigin: true,
        rewrite: (path) => path.replace(/^\/agent/, ""),
        headers: { "x-countersign-token": TOKEN },
      },
    },
  },
});
