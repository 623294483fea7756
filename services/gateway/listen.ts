import { isIPv6 } from "node:net";
import { listenError } from "#shared/process/listen-error.ts";
import type { Gateway } from "./add-routes.ts";

/** Opens the port and returns the server's URL as a browser on this machine reaches it. */
export async function listen(gateway: Gateway, host: string, port: number): Promise<string> {
  try {
    await gateway.listen({ host, port });
  } catch (error) {
    throw listenError(error, { host, port, hostSetting: "--host (HOST)", portSetting: "--port (PORT)" });
  }
  const address = gateway.server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return `http://${toReachable(host)}:${actualPort}`;
}

function toReachable(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "") return "localhost";
  return isIPv6(host) ? `[${host}]` : host;
}
