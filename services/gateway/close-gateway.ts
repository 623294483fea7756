import type { Gateway } from "./add-routes.ts";

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
  gateway.server.closeAllConnections();
  await gateway.close();
}
