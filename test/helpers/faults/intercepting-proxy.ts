import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";

export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

/** `lose-answer` passes the request on and breaks the connection; a number answers with that status instead. */
export type ProxyAction = "forward" | "lose-answer" | number;
export type ProxyRule = (request: ProxiedRequest) => ProxyAction | Promise<ProxyAction>;

/** An HTTP server in front of another one, which delays, breaks or answers requests as configured. */
export class InterceptingProxy implements AsyncDisposable {
  /** In the order of arrival. */
  readonly seen: ProxiedRequest[] = [];
  readonly #server: Server;
  readonly #target: string;
  readonly #rule: ProxyRule;

  constructor(target: string, rule: ProxyRule) {
    this.#target = target;
    this.#rule = rule;
    this.#server = createServer((incoming, outgoing) => {
      this.#handle(incoming, outgoing).catch(() => incoming.socket.destroy());
    });
  }

  static async start(target: string, rule: ProxyRule = () => "forward"): Promise<InterceptingProxy> {
    const proxy = new InterceptingProxy(target, rule);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The proxy does not listen.");
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = incoming;
    this.seen.push({ method, path });
    const action = await this.#rule({ method, path });
    if (typeof action === "number") {
      incoming.resume();
      outgoing.writeHead(action, { "content-type": "application/json" }).end(`{"error":{"code":${action}}}`);
      return;
    }
    const passedOn = request(new URL(path, this.#target), { method, headers });
    incoming.pipe(passedOn);
    // The event has one argument, the answer.
    const [answer] = (await once(passedOn, "response")) as [IncomingMessage];
    if (action === "lose-answer") {
      answer.destroy();
      incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  }
}
