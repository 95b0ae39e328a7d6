/**
 * Connectors: from a backend's address to an inbox and back. Importing this loads no wasm and connects to nothing.
 *
 * @module
 */
export { a2a, type A2aOptions } from "./a2a.js";
export { adk, type AdkOptions } from "./adk.js";
export { ConnectorError } from "./failure.js";
export { forward } from "./forward.js";
export { langgraph, type LangGraphOptions } from "./langgraph.js";
export { rest, type RestOptions } from "./rest.js";
export { websocket, type SocketLike, type SocketMaker, type WebSocketOptions } from "./websocket.js";
export type * from "./types.js";
