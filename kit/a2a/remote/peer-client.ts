import { readFile } from "node:fs/promises";
import type {
  AgentCard,
  AgentInterface,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "@a2a-js/sdk";
import type { RequestOptions } from "@a2a-js/sdk/client";
import { A2AClientError, AgentCardResolutionError } from "#kit/errors/a2a-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { boundedFetch, type Fetch } from "#kit/outbound-http/bounded-fetch.ts";
import { isJsonObject } from "#kit/platform/json.ts";

/** Calls a remote agent. The SDK's `Client` has this form. */
export interface A2AClient {
  sendMessageStream(request: SendMessageRequest, options?: RequestOptions): AsyncIterable<StreamResponse>;
  getTask(request: GetTaskRequest, options?: RequestOptions): Promise<Task>;
  cancelTask(request: CancelTaskRequest, options?: RequestOptions): Promise<unknown>;
  resubscribeTask(request: SubscribeToTaskRequest, options?: RequestOptions): AsyncIterable<StreamResponse>;
  /** Finds a task whose id was not stored; not all clients and agents have it. */
  listTasks?(request: ListTasksRequest, options?: RequestOptions): Promise<ListTasksResponse>;
  getAgentCard(options?: RequestOptions): Promise<AgentCard>;
}

/** The card of a remote agent: the SDK's object or JSON of 1.0 or 0.3, the address of one, or the path of a file. */
export type AgentCardSource = AgentCard | object | string;

export interface ReadCard {
  readonly card: AgentCard;
  /** The address that the card was read from; undefined for one that the author has given. */
  readonly origin: string | undefined;
}

const MIB = 1024 * 1024;
const MAX_CARD_BYTES = MIB;
const WELL_KNOWN_PATH = ".well-known/agent-card.json";
/** The part of a remote's answer that is read before it is refused. */
const LIMITS = { maxAnswerBytes: 32 * MIB, maxStreamBytes: 128 * MIB, maxEventBytes: 8 * MIB } as const;

/** Throws `AgentCardResolutionError`. */
export async function readCard(source: AgentCardSource, fetch: Fetch): Promise<ReadCard> {
  const url = typeof source === "string" && /^https?:\/\//i.test(source) ? cardUrl(source) : undefined;
  try {
    if (typeof source !== "string") return { card: await parseCard(source), origin: undefined };
    if (url === undefined) return { card: await parseCard(JSON.parse(await readCardFile(source))), origin: undefined };
    return { card: await parseCard(await fetchJson(url, "agent card", fetch)), origin: url.origin };
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new AgentCardResolutionError(`The agent card${placeOf(source)} cannot be read: ${problemOf(error)}.`, error);
  }
}

/**
 * A client that calls the interfaces of the card. A card that was read from an address names only interfaces of the same
 * origin: the caller's headers are for that origin.
 */
export async function createPeerClient({ card, origin }: ReadCard, fetch: Fetch): Promise<A2AClient> {
  const supportedInterfaces = card.supportedInterfaces.filter(
    ({ url }) => origin === undefined || URL.parse(url)?.origin === origin,
  );
  if (supportedInterfaces.length === 0)
    throw new AgentCardResolutionError(
      origin === undefined
        ? "The agent card names no interface."
        : `The agent card of ${origin} names no interface of that origin: give the card as an object or a file if its agent is elsewhere.`,
    );
  const { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } = await loadClient();
  const tooLarge = (problem: string) => new A2AClientError(`The remote agent's answer ${problem}.`);
  // The types of the platform's `fetch` allow requests as objects too, which the SDK does not make.
  const fetchImpl = boundedFetch(fetch, { ...LIMITS, tooLarge }) as typeof globalThis.fetch;
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
  try {
    return await new ClientFactory({ transports }).createFromAgentCard(usableCard(card, supportedInterfaces));
  } catch (error) {
    throw new AgentCardResolutionError(`The agent card cannot be used: ${problemOf(error)}.`, error);
  }
}

/**
 * The SDK's client of HTTP+JSON 0.3 does not read whether a chunk is appended. So another interface is used if there is
 * one, and if not, answers are read whole.
 */
function usableCard(card: AgentCard, all: readonly AgentInterface[]): AgentCard {
  const others = all.filter(({ protocolBinding, protocolVersion }) => {
    const isHttp = protocolBinding.toUpperCase() === "HTTP+JSON";
    return protocolBinding.toUpperCase() === "JSONRPC" || (isHttp && !protocolVersion.startsWith("0."));
  });
  if (others.length > 0) return { ...card, supportedInterfaces: others };
  const capabilities: AgentCard["capabilities"] = card.capabilities && { ...card.capabilities, streaming: false };
  return { ...card, supportedInterfaces: [...all], capabilities };
}

/** The text of a failure without quotes of what a peer has sent. */
export function problemOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : "unknown problem";
}

async function parseCard(value: unknown): Promise<AgentCard> {
  if (!isJsonObject(value)) throw new AgentCardResolutionError("The agent card is not an object.");
  const [{ DefaultAgentCardResolver }, { AgentCard: table }] = await Promise.all([loadClient(), loadTypes()]);
  const normal = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } }).normalizeAgentCard(value);
  const card = Object.is(normal, value) ? table.fromJSON(value) : normal;
  if (card.supportedInterfaces.length > 0) return card;
  throw new AgentCardResolutionError(
    "The agent card names no interface: it has no `supportedInterfaces` and no `url`.",
  );
}

function cardUrl(text: string): URL {
  const url = new URL(text);
  if (!url.pathname.endsWith(".json")) url.pathname = `${url.pathname.replace(/\/$/, "")}/${WELL_KNOWN_PATH}`;
  return url;
}

/** Throws `AgentCardResolutionError`. `what` names the document in messages. */
export async function fetchJson(url: URL, what: "agent card" | "keys", fetch: Fetch): Promise<unknown> {
  const tooLarge = (problem: string) => new AgentCardResolutionError(`The ${what} of ${url.host} ${problem}.`);
  const limits = { maxAnswerBytes: MAX_CARD_BYTES, maxStreamBytes: MAX_CARD_BYTES, maxEventBytes: MAX_CARD_BYTES };
  const response = await boundedFetch(fetch, { ...limits, tooLarge })(url, { headers: { accept: "application/json" } });
  if (response.ok) return response.json();
  await response.body?.cancel();
  throw new AgentCardResolutionError(`The ${what} of ${url.host} cannot be read: status ${response.status}.`);
}

async function readCardFile(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.length <= MAX_CARD_BYTES) return bytes.toString();
  throw new AgentCardResolutionError(`The agent card has more than ${MAX_CARD_BYTES} bytes.`);
}

function placeOf(source: AgentCardSource): string {
  const url = typeof source === "string" ? URL.parse(source) : null;
  return url === null || !/^https?:$/.test(url.protocol) ? "" : ` of ${url.host}`;
}

function loadClient() {
  return importOptional({ name: "@a2a-js/sdk", user: "Remote agents", load: () => import("@a2a-js/sdk/client") });
}

function loadTypes() {
  return importOptional({ name: "@a2a-js/sdk", user: "Remote agents", load: () => import("@a2a-js/sdk") });
}
