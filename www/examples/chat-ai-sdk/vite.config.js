import { Readable } from "node:stream";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const { AGENT = "http://127.0.0.1:8084", APP = "plain", TOKEN } = process.env;

/** While a developer works, Vite answers `/api/chat` itself. Elsewhere it is a route handler: in Next.js `app/api/chat/route.ts`. */
const api = {
  name: "api",
  configureServer(vite) {
    if (!TOKEN) throw new Error("say which token the agent wants: TOKEN=… npm run dev");
    vite.middlewares.use("/api/chat", async (request, response, next) => {
      try {
        const { createChat } = await vite.ssrLoadModule("/server/chat.ts");
        const { origin } = new URL(vite.resolvedUrls.local[0]);
        const chat = createChat({ url: AGENT, appName: APP, userId: "user", headers: { "x-countersign-token": TOKEN } }, origin);
        const { method, headers } = request;
        const body = method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {};
        const answer = await chat[method](new Request(new URL(request.originalUrl, "http://localhost"), { method, headers, ...body }));
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body) Readable.fromWeb(answer.body).pipe(response);
        else response.end();
      } catch (error) {
        next(error);
      }
    });
  },
};

export default defineConfig({ plugins: [react(), api], build: { target: "es2022" } });
