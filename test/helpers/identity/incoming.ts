import { IncomingMessage } from "node:http";
import { Socket } from "node:net";

/** A request with these headers, each a pair as it came; only what authenticators read. */
export function incoming(headers: readonly (readonly [string, string])[], address = "127.0.0.1"): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: address });
  const request = new IncomingMessage(socket);
  request.rawHeaders = headers.flat();
  for (const [name, value] of headers) request.headers[name.toLowerCase()] ??= value;
  return request;
}

export function bearing(token: string): IncomingMessage {
  return incoming([["Authorization", `Bearer ${token}`]]);
}
