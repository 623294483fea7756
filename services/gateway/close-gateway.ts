import type { Gateway } from "./app.ts";

const IDLE_SWEEP_MS = 50;

/** Accepts nothing new; resolves when every request that was accepted has its answer. */
export async function closeGateway(gateway: Gateway): Promise<void> {
  // A connection that a client keeps open after its last answer would hold the server for as long as the client likes.
  const sweep = setInterval(() => gateway.server.closeIdleConnections(), IDLE_SWEEP_MS);
  try {
    await gateway.close();
  } finally {
    clearInterval(sweep);
  }
}

/** Ends whatever still holds a connection, which had its time. */
export async function cutOffGateway(gateway: Gateway): Promise<void> {
  gateway.server.closeAllConnections();
  await gateway.close();
}
