import { createServer } from "node:net";
import { reservePort } from "./port-reservation.ts";

/** Below the range of ephemeral ports, so that no outgoing connection takes the port before its server starts. */
const [FIRST, LAST] = [15_000, 31_999];

/** Returns ports of loopback that are free, and reserves them: no other process that asks here gets them. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    // Random, so that processes which search at the same time seldom try the same port.
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (reservePort(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("One port was asked for.");
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
