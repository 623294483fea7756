import { isIPv6 } from "node:net";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Gateway } from "#services/gateway/app.ts";

const CAUSES: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is in use. Stop the other server, or choose another port with --port (PORT).`,
  EACCES: (_, port) => `This user may not listen on port ${port}. Choose one above 1023 with --port (PORT).`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}. Choose another with --host (HOST).`,
  ENOTFOUND: (host) => `The host ${host} is not known. Choose another with --host (HOST).`,
};

/** Opens the port and gives the server's URL as a browser on this machine reaches it. */
export async function listen(gateway: Gateway, host: string, port: number): Promise<string> {
  try {
    await gateway.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const describe = CAUSES[code];
    if (describe === undefined) throw error;
    throw new PlatformError("CONFIGURATION", describe(host, port), { cause: error });
  }
  const address = gateway.server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return `http://${toReachable(host)}:${actualPort}`;
}

function toReachable(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "") return "localhost";
  return isIPv6(host) ? `[${host}]` : host;
}
