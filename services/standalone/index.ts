// The exports for programs that serve agents themselves: `import { createServer } from "fairlead/server"`.

export { createServer, type ServerOptions } from "./create-server.ts";
export type { ListenAddress, Server } from "./embedded-server.ts";
export type { ServerLogger } from "./given-logger.ts";
export type { ServerStores } from "./given-stores.ts";
export type { MountHost } from "./mount.ts";
export { type ServerConfig, serverConfigFrom } from "./server-config.ts";
