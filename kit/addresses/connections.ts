import type { LookupFunction } from "node:net";
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
    const { fetch, allowed, others } = await this.#open();
    const dispatcher = this.#options.allowedHosts.includes(url) ? allowed : others;
    return fetch(url, { method, headers: [...headers], body: body ?? null, signal, dispatcher, redirect: "manual" });
  }

  /** Ends all connections, with the requests in progress. */
  async close(): Promise<void> {
    // If the package could not be loaded, there are no connections to close.
    const agents = await this.#agents?.catch(() => undefined);
    await Promise.all([agents?.allowed.destroy(), agents?.others.destroy()]);
  }
}

interface Agents {
  readonly fetch: typeof import("undici")["fetch"];
  /** For allowed hosts, which may have private addresses. Its connections are never used for other hosts. */
  readonly allowed: Agent;
  readonly others: Agent;
}

/** The package is loaded at the first request, because many processes make no such request. */
async function openAgents({ lookup, timeoutMs }: ConnectionsOptions): Promise<Agents> {
  const { Agent, fetch } = await import("undici");
  const open = (checked: LookupFunction): Agent =>
    // The package's own timeouts are off: the caller's deadline applies.
    new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { lookup: checked, timeout: timeoutMs } });
  return { fetch, allowed: open(checkedLookup(lookup, true)), others: open(checkedLookup(lookup, false)) };
}
