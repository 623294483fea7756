import type { IncomingMessage } from "node:http";
import { protocolToken } from "./handshake-credentials.ts";
import { invalidCredentials } from "./refusals.ts";

const BEARER = /^Bearer +([^\s]+) *$/i;

/**
 * The token of `Authorization: Bearer …`, or of a WebSocket's sub-protocol `bearer.…`; undefined without one. Throws
 * `UNAUTHENTICATED` for two such headers.
 */
export function bearerToken(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return protocolToken(request);
  refuseRepeated(request, "authorization");
  return BEARER.exec(authorization)?.[1];
}

/** The value of a header that a request may have once. Throws `UNAUTHENTICATED` if it has several. */
export function singleHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  if (value === undefined) return undefined;
  refuseRepeated(request, name);
  return Array.isArray(value) ? value[0] : value;
}

/** With two values, a proxy could check one of them and this server use the other. */
function refuseRepeated({ rawHeaders }: IncomingMessage, name: string): void {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const other = rawHeaders[index];
    if (other?.length === name.length && other.toLowerCase() === name) count += 1;
  }
  if (count > 1) throw invalidCredentials(`The request has several headers ${name}: send one.`);
}
