import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type LookupFunction, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import { checkUrl } from "#kit/outbound-http/check-url.ts";
import { type AddressLookup, checkedLookup, systemLookup } from "#kit/outbound-http/checked-lookup.ts";

export interface CheckedProxyOptions {
  readonly allowedHosts: AllowedHosts;
  readonly lookup?: AddressLookup | undefined;
}

/** Headers between a client and a proxy, which are not sent on. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "proxy-connection",
  "proxy-authorization",
  "connection",
  "keep-alive",
]);

/**
 * The only network access of a browser: a proxy that resolves each name by itself, and connects only to the addresses
 * that it has checked. It therefore also covers redirects, frames, scripts and web sockets of pages, and names whose
 * address changes after they were looked up.
 */
export class CheckedProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #allowedHosts: AllowedHosts;
  readonly #lookup: AddressLookup;

  constructor({ allowedHosts, lookup = systemLookup }: CheckedProxyOptions) {
    this.#allowedHosts = allowedHosts;
    this.#lookup = lookup;
    this.#server = createServer((request, response) => this.#forward(request, response));
    this.#server.on("connect", (request: IncomingMessage, socket: Socket) => this.#tunnel(request, socket));
    this.#server.on("connection", (socket) => this.#keep(socket));
  }

  /** Listens on loopback only, and returns the proxy's address. */
  async listen(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    // A server that listens on a port has such an address.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    try {
      const url = checkUrl(request.url ?? "", this.#allowedHosts);
      if (url.protocol !== "http:") throw new PlatformError("OUTBOUND_ADDRESS_REFUSED", "A proxy forwards http alone.");
      const headers = Object.entries(request.headers).filter(([name]) => !HOP_HEADERS.has(name));
      const forwarded = openRequest(url, {
        method: request.method,
        headers: Object.fromEntries(headers),
        lookup: this.#checked(url),
      });
      forwarded.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, response, () => {});
      });
      forwarded.on("error", (error) => refuse(response, error));
      pipeline(request, forwarded, () => {});
    } catch (error) {
      refuse(response, error);
    }
  }

  #tunnel(request: IncomingMessage, socket: Socket): void {
    socket.on("error", () => socket.destroy());
    try {
      // A tunnel is for one host and port; the scheme only completes the URL.
      const url = checkUrl(`https://${request.url}`, this.#allowedHosts);
      const port = url.port === "" ? 443 : Number(url.port);
      const host = url.hostname.replaceAll(/[[\]]/g, "");
      const target = connect({ host, port, lookup: this.#checked(url) });
      this.#keep(target);
      target.once("connect", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        pipeline(socket, target, socket, () => {});
      });
      target.once("error", () => socket.end(REFUSED_TUNNEL));
    } catch {
      socket.end(REFUSED_TUNNEL);
    }
  }

  #checked(url: URL): LookupFunction {
    return checkedLookup(this.#lookup, this.#allowedHosts.includes(url));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

const REFUSED_TUNNEL = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/** The page shows the message, so that the model learns why it has no other content. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const isRefusal = error instanceof PlatformError;
  response.writeHead(isRefusal ? 403 : 502, { "content-type": "text/plain; charset=utf-8" });
  response.end(isRefusal ? error.message : "The address cannot be reached.");
}
