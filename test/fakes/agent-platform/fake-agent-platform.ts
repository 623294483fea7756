import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "#kit/platform/clock.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { FakeMemories } from "./fake-memories.ts";
import { FakeSessions } from "./fake-sessions.ts";
import type { PlatformParts, WireRequest } from "./wire-request.ts";
import { WireProblem } from "./wire-shapes.ts";

/** A fault of the next requests whose line fits: `METHOD path`, without the engine. */
export interface PlatformFault {
  readonly on: RegExp;
  /** `answer` replaces the answer; `lost` and `cut` take effect first; `slow` answers after the time. */
  readonly kind: "answer" | "lost" | "cut" | "slow";
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** Called when the request has arrived, and had its effect if the fault allows one. */
  readonly then?: () => void;
  /** How many requests it meets; 1 if absent. */
  times?: number;
}

export interface FakeAgentPlatformOptions {
  readonly clock: Clock;
  /** The most items of a page; the service may return fewer than were asked for. 2 if absent. */
  readonly pageLimit?: number;
  /** After how many further requests an operation is done; 1 if absent. */
  readonly polls?: number;
  /** The headers that authenticate; none is needed if absent. */
  readonly credentials?: Readonly<Record<string, string>>;
}

/**
 * The managed sessions and Memory Bank of Google's Agent Platform, over HTTP. Every request is checked against the published
 * messages of v1beta1: unknown and missing members, wrong types and values, and page tokens of other lists are refused.
 */
export class FakeAgentPlatform implements AsyncDisposable, PlatformParts {
  readonly clock: Clock;
  readonly sessions: FakeSessions;
  readonly memories: FakeMemories;
  /** `METHOD path` of each request, without the engine, in order. */
  readonly lines: string[] = [];
  readonly requests: WireRequest[] = [];
  readonly faults: PlatformFault[] = [];
  readonly #options: FakeAgentPlatformOptions;
  readonly #operations = new Map<string, Operation>();
  readonly #server = createServer((request, response) => {
    void this.#serve(request).then(async ({ status, headers = {}, json, isCut, delayMs = 0, isLost }) => {
      if (delayMs > 0) await setTimeout(delayMs, undefined, { ref: false });
      if (isLost) return response.destroy();
      response.writeHead(status, { "content-type": "application/json", ...headers });
      const text = JSON.stringify(json);
      return response.end(isCut ? text.slice(0, text.length - 1) : text);
    });
  });
  url = "";

  private constructor(options: FakeAgentPlatformOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.sessions = new FakeSessions(this);
    this.memories = new FakeMemories(this);
  }

  static async start(options: FakeAgentPlatformOptions): Promise<FakeAgentPlatform> {
    const fake = new FakeAgentPlatform(options);
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    // A listening TCP server has an address with a port.
    fake.url = `http://127.0.0.1:${(fake.#server.address() as AddressInfo).port}`;
    return fake;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  page({ path, query }: WireRequest, items: readonly JsonObject[], member: string): JsonObject {
    const asked = query.get("pageSize");
    if (asked !== null && !/^[1-9]\d{0,3}$/.test(asked)) throw new WireProblem("page_size must be 1 to 9999.");
    const size = Math.min(Number(asked ?? 100), this.#options.pageLimit ?? 2);
    const list = JSON.stringify([path, query.get("filter"), query.get("orderBy")]);
    const place = startOf(query.get("pageToken"), list);
    const next = place + size;
    const token = next < items.length ? Buffer.from(JSON.stringify([list, next])).toString("base64") : undefined;
    return { [member]: items.slice(place, next), ...(token !== undefined && { nextPageToken: token }) };
  }

  operation(parent: string, effect: () => JsonObject | undefined): JsonObject {
    const name = `${parent}/operations/${this.#operations.size + 1}`;
    const { polls = 1 } = this.#options;
    if (polls === 0) return { name, done: true, response: effect() ?? {} };
    this.#operations.set(name, { left: polls, effect });
    return { name, metadata: { genericMetadata: { createTime: toIsoTime(this.clock.now()) } } };
  }

  async #serve(incoming: IncomingMessage): Promise<FakeAnswer> {
    const url = new URL(incoming.url ?? "", "http://fake");
    const text = Buffer.concat(await Array.fromAsync(incoming)).toString("utf8");
    const path = decodeURIComponent(url.pathname.replace(/^\/v1beta1\//, ""));
    const { method = "", headers } = incoming;
    const request = { method, path, query: url.searchParams, body: parsed(text), headers };
    const line = `${method} ${path.replace(/^.*reasoningEngines\/\d+\/?/, "")}`;
    this.lines.push(line);
    this.requests.push(request);
    this.#progress();
    const fault = this.faults.find(({ on, times = 1 }) => times > 0 && on.test(line));
    if (fault !== undefined) fault.times = (fault.times ?? 1) - 1;
    if (fault?.kind === "answer") fault.then?.();
    if (fault?.kind === "answer") return { ...refused(fault.status ?? 503, "Injected."), headers: fault.headers };
    const answer = this.#answer(request, line);
    fault?.then?.();
    return { ...answer, isCut: fault?.kind === "cut", isLost: fault?.kind === "lost", delayMs: fault?.delayMs };
  }

  #answer(request: WireRequest, line: string): FakeAnswer {
    try {
      for (const [name, value] of Object.entries(this.#options.credentials ?? {}))
        if (request.headers[name] !== value) throw new WireProblem(`Wrong credentials: ${name}.`, 401);
      const operation = /^GET (.*\/operations\/[^/]+)$/.exec(line);
      const engine = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?reasoningEngines\/\d+/.exec(request.path)?.[0];
      if (engine === undefined) throw new WireProblem(`No such resource: ${request.path}`, 404);
      const json =
        operation === null
          ? (this.sessions.answer(request, engine) ?? this.memories.answer(request, engine))
          : this.#poll(request.path);
      if (json === undefined) throw new WireProblem(`No such method: ${line}`, 404);
      return { status: 200, json };
    } catch (error) {
      if (error instanceof WireProblem) return refused(error.status, error.message);
      return refused(500, String(error));
    }
  }

  #progress(): void {
    for (const operation of this.#operations.values()) {
      operation.left -= 1;
      if (operation.left === 0) operation.response = operation.effect() ?? {};
    }
  }

  #poll(name: string): JsonObject {
    const operation = this.#operations.get(name);
    if (operation === undefined) throw new WireProblem(`No such operation: ${name}`, 404);
    return operation.response === undefined ? { name } : { name, done: true, response: operation.response };
  }
}

interface Operation {
  left: number;
  readonly effect: () => JsonObject | undefined;
  response?: JsonObject;
}

interface FakeAnswer {
  readonly status: number;
  readonly json: JsonObject;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly isCut?: boolean;
  readonly isLost?: boolean;
  readonly delayMs?: number | undefined;
}

function refused(status: number, message: string): FakeAnswer {
  return { status, json: { error: { code: status, message, status: "REFUSED" } } };
}

function startOf(token: string | null, list: string): number {
  if (token === null) return 0;
  const parts = parsed(Buffer.from(token, "base64").toString("utf8"));
  if (Array.isArray(parts) && parts[0] === list && Number.isInteger(parts[1])) return Number(parts[1]);
  throw new WireProblem("The page token is not valid for this list.");
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    throw new WireProblem("Invalid JSON payload received.");
  }
}
