import { isIPv6 } from "node:net";
import { listenError } from "#shared/process/listen-error.ts";
import type { Gateway } from "./add-routes.ts";
import { abortGrpc, listenForGrpc } from "./grpc-port.ts";

/** Opens the port and returns the server's URL as a browser on this machine reaches it. */
export async function listen(gateway: Gateway, host: string, port: number): Promise<string> {
  try {
    await gateway.listen({ host, port });
  } catch (error) {
    throw listenError(error, { host, port, hostSetting: "--host (HOST)", portSetting: "--port (PORT)" });
  }
  await listenForGrpc(gateway, host);
  const address = gateway.server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return `http://${toReachable(host)}:${actualPort}`;
}

function toReachable(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "") return "localhost";
  return isIPv6(host) ? `[${host}]` : host;
}

const IDLE_SWEEP_MS = 50;

/** Accepts no new requests. Resolves when every accepted request is answered. */
export async function closeGateway(gateway: Gateway): Promise<void> {
  // A client that keeps its connection open after its last answer would otherwise keep the server open.
  const sweep = setInterval(() => gateway.server.closeIdleConnections(), IDLE_SWEEP_MS);
  try {
    await gateway.close();
  } finally {
    clearInterval(sweep);
  }
}

/** Closes the connections that are still open after the grace period. */
export async function cutOffGateway(gateway: Gateway): Promise<void> {
  abortGrpc(gateway);
  gateway.server.closeAllConnections();
  await gateway.close();
}
