import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { Agent, Response } from "undici";
import { lazy } from "#kit/platform/lazy.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";
import { type AddressLookup, checkedLookup } from "./checked-lookup.ts";
import type { ReadyRequest } from "./ready-request.ts";

interface ConnectionsOptions {
  readonly lookup: AddressLookup;
  readonly allowedHosts: AllowedHosts;
  readonly timeoutMs: number;
}

/** Connections to checked addresses, kept open for further requests to the same origin. */
export class Connections {
  readonly #options: ConnectionsOptions;
  #agents: Promise<Agents> | undefined;
  readonly #open = lazy(() => {
    this.#agents = openAgents(this.#options);
    return this.#agents;
  });

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Sends one request, and follows no redirect. */
  async send(url: URL, { method, headers, body }: ReadyRequest, signal: AbortSignal): Promise<Response> {
    const { fetch, allowed, others, request, Response: AnyResponse } = await this.#open();
    const dispatcher = this.#options.allowedHosts.includes(url) ? allowed : others;
    if (method === "GET" && body !== undefined) {
      // The platform's `fetch` refuses such requests, which some search servers ask for. Nothing would decompress an answer.
      const plain = [...headers, ["accept-encoding", "identity"]].flat();
      const answer = await request(url, { method, headers: plain, body, signal, dispatcher });
      const content = NO_CONTENT.has(answer.statusCode) ? null : Readable.toWeb(answer.body);
      return new AnyResponse(content, { status: answer.statusCode, headers: headersOf(answer.headers) });
    }
    return fetch(url, { method, headers: [...headers], body: body ?? null, signal, dispatcher, redirect: "manual" });
  }

  /** Ends all connections, with the requests in progress. */
  async close(): Promise<void> {
    // If the package could not be loaded, there are no connections to close.
    const agents = await this.#agents?.catch(() => undefined);
    await Promise.all([agents?.allowed.destroy(), agents?.others.destroy()]);
  }
}

/** Statuses whose answers have no content. */
const NO_CONTENT: ReadonlySet<number> = new Set([204, 205, 304]);

function headersOf(headers: NodeJS.Dict<string | string[]>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value = []]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, one]),
  );
}

interface Agents {
  readonly fetch: typeof import("undici")["fetch"];
  readonly request: typeof import("undici")["request"];
  readonly Response: typeof import("undici")["Response"];
  /** For allowed hosts, which may have private addresses. Its connections are never used for other hosts. */
  readonly allowed: Agent;
  readonly others: Agent;
}

/** The package is loaded at the first request, because many processes make no such request. */
async function openAgents({ lookup, timeoutMs }: ConnectionsOptions): Promise<Agents> {
  const { Agent, fetch, request, Response } = await import("undici");
  const open = (checked: LookupFunction): Agent =>
    // The package's own timeouts are off: the caller's deadline applies.
    new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { lookup: checked, timeout: timeoutMs } });
  return {
    fetch,
    request,
    Response,
    allowed: open(checkedLookup(lookup, true)),
    others: open(checkedLookup(lookup, false)),
  };
}
