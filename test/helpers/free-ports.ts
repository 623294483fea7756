import { once } from "node:events";
import { createServer } from "node:net";

/** Ports of loopback that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  // All at once, so that no two are the same.
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("A listening server has a port.");
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
