import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Content, textOf } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { MemoryEntry, MemoryScope, MemoryService, SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { type ClockAndIdsOptions, completeClockAndIds, type Sources } from "#kit/platform/clock-and-ids.ts";
import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { checkOptions, clock, flag, ids, integer, type OptionRules, oneOf } from "#kit/schema/check-options.ts";
import type { Session } from "#kit/sessions/session.ts";
import { assertMemoryScope, withinAnswer } from "#ports/memory/memory-records.ts";
import { AgentPlatformClient, hasStatus } from "./agent-platform-client.ts";
import { AGENT_PLATFORM_RULES, AgentEngines, type AgentPlatformOptions } from "./agent-platform-options.ts";
import { quoted } from "./managed-session-log.ts";
import { fromMetadata, metadataValue, toMetadata } from "./memory-metadata.ts";
import { defined, knownContent } from "./session-event-form.ts";

/** Options of a `VertexAiMemoryBankService`. */
export interface VertexAiMemoryBankServiceOptions extends AgentPlatformOptions, ClockAndIdsOptions {
  /**
   * How sessions become memories: `generate` at once, with the session as their source; or `ingest`, where the service collects
   * events and generates when its rules say so. `generate` by default.
   */
  readonly sessions?: "generate" | "ingest" | undefined;
  /** Wait until memories are generated; false by default. */
  readonly waitForCompletion?: boolean | undefined;
  /** Merge entries that are added with what the service knows; false by default, which adds each as it is. */
  readonly enableConsolidation?: boolean | undefined;
  /** The most memories of a search, 1 to 100; 10 by default. */
  readonly topK?: number | undefined;
  /** How long a memory is kept that is added as an entry, in seconds; the service's default if absent. */
  readonly ttlSeconds?: number | undefined;
}

/** A memory that was generated. */
export interface GeneratedMemory {
  readonly action: "CREATED" | "UPDATED" | "DELETED";
  /** Absent for one that was deleted. */
  readonly entry?: MemoryEntry;
}

const RULES: OptionRules<VertexAiMemoryBankServiceOptions> = {
  ...AGENT_PLATFORM_RULES,
  sessions: oneOf("generate", "ingest"),
  waitForCompletion: flag,
  enableConsolidation: flag,
  topK: {
    must: "an integer from 1 to 100",
    accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100,
  },
  ttlSeconds: integer(1, " second"),
  clock,
  ids,
};
const DEFAULT_TOP_K = 10;
/** The service takes this many facts in one call. */
const MAX_DIRECT_MEMORIES = 5;
/** Names of metadata of the memories that this class adds. */
const SESSION = "session_id";
const ENTRY = "entry_id";
/** How long a memory is waited for whose creation has an unknown outcome. */
const LOST_CREATION_MS = 5000;
const PAGE_SIZE = 100;
const MAX_PAGES = 1000;

/**
 * Memory of Google's Agent Platform: Memory Bank, whose model extracts facts of a user from sessions and merges them (REST
 * interface v1beta1 of `reasoningEngines.memories`). The scope of a memory is `{app_name, user_id}`.
 *
 * It remembers facts and not events, so a search finds them by meaning. An entry that is added again under its id is a further
 * memory, unless `enableConsolidation` merges them.
 *
 * @example
 * ```ts
 * const memoryService = new VertexAiMemoryBankService({ project: "acme", location: "us-central1", agentEngineId: "4711" });
 * await memoryService.addSessionToMemory(session);
 * ```
 */
export class VertexAiMemoryBankService implements MemoryService, AsyncDisposable {
  readonly #client: AgentPlatformClient;
  readonly #engines: AgentEngines;
  readonly #options: VertexAiMemoryBankServiceOptions;
  readonly #sources: Sources;

  /** Connects with the first call. Throws `INVALID_FIELD`. */
  constructor(options: VertexAiMemoryBankServiceOptions) {
    checkOptions("new VertexAiMemoryBankService", options, RULES);
    this.#engines = new AgentEngines(options, "new VertexAiMemoryBankService");
    this.#client = new AgentPlatformClient(this.#engines.baseUrl, options);
    this.#options = options;
    this.#sources = completeClockAndIds(options);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]();
  }

  /** Generates memories from the session's complete events that have content, or gives these to the service to collect. */
  async addSessionToMemory(session: Session): Promise<void> {
    assertIdentifier("sessionId", session.id);
    if (this.#options.sessions === "ingest") return this.ingestEvents(session, session.id, session.events);
    const operation = await this.#generate(session, session.id, session.events);
    if (this.#options.waitForCompletion === true) await this.#client.complete(operation);
  }

  /** Generates memories from events of a session, and returns what changed. */
  async generateMemories(
    scope: MemoryScope,
    sessionId: string,
    events: readonly Event[],
  ): Promise<readonly GeneratedMemory[]> {
    const { generatedMemories } = await this.#client.complete(await this.#generate(scope, sessionId, events));
    return itemsOf(generatedMemories).map(({ action, memory }) => ({
      // One of the published values.
      action: String(action) as GeneratedMemory["action"],
      entry: isJsonObject(memory) && action !== "DELETED" ? toEntry(memory) : undefined,
    }));
  }

  /** Adds events to a stream of the service, which generates memories from it by its rules. It ignores ids that it knows. */
  async ingestEvents(
    scope: MemoryScope,
    streamId: string,
    events: readonly Event[],
    { forceFlush }: { readonly forceFlush?: boolean } = {},
  ): Promise<void> {
    const sources = events.flatMap((event) => {
      const content = contentOf(event);
      return content === undefined ? [] : [{ content, eventId: event.id, eventTime: toIsoTime(event.timestamp) }];
    });
    const path = `${this.#memoriesOf(scope)}:ingestEvents`;
    if (sources.length === 0) return;
    const body = defined({ streamId, scope: scopeOf(scope), directContentsSource: { events: sources }, forceFlush });
    await this.#client.call({ method: "POST", path, body, repeat: "always" });
  }

  /** Adds the text of each entry as a fact. Throws `INVALID_FIELD` for an entry without text, and adds none then. */
  async addMemoryEntries(scope: MemoryScope, entries: readonly MemoryEntry[]): Promise<void> {
    const path = this.#memoriesOf(scope);
    const facts = entries.map((entry, index) => this.#factOf(entry, index));
    if (this.#options.enableConsolidation !== true) {
      for (const { id, ...fact } of facts) {
        const body = { ...fact, scope: scopeOf(scope) };
        const repeat = () => this.#appears(scope, id);
        await this.#client.complete(await this.#client.call({ method: "POST", path, body, repeat }));
      }
      return;
    }
    for (let start = 0; start < facts.length; start += MAX_DIRECT_MEMORIES) {
      const directMemories = facts.slice(start, start + MAX_DIRECT_MEMORIES).map(({ fact }) => ({ fact }));
      const body = { directMemoriesSource: { directMemories }, scope: scopeOf(scope) };
      const call = { method: "POST", path: `${path}:generate`, body, repeat: "always" } as const;
      await this.#client.complete(await this.#client.call(call));
    }
  }

  /** The memories of the scope whose facts are closest to the query; none for an empty query. */
  async searchMemory(scope: MemoryScope, query: string): Promise<SearchMemoryResponse> {
    const path = `${this.#memoriesOf(scope)}:retrieve`;
    if (query.trim() === "") return { memories: [] };
    const similaritySearchParams = { searchQuery: query, topK: this.#options.topK ?? DEFAULT_TOP_K };
    const body = { scope: scopeOf(scope), similaritySearchParams };
    const { retrievedMemories } = await this.#client.call({ method: "POST", path, body, repeat: "always" });
    return { memories: withinAnswer(memoriesOf(retrievedMemories).map(toEntry)) };
  }

  /** All memories of the scope. Throws `OUTBOUND_RESPONSE_TOO_LARGE` for more than 100,000. */
  async listMemories(scope: MemoryScope): Promise<readonly MemoryEntry[]> {
    return (await this.#retrieveAll(scope)).map(toEntry);
  }

  /** The structured profiles of the scope, by the ids of their schemas, as the service has them. */
  async retrieveProfiles(scope: MemoryScope): Promise<Readonly<Record<string, JsonObject>>> {
    const path = `${this.#memoriesOf(scope)}:retrieveProfiles`;
    const { profiles } = await this.#client.call({
      method: "POST",
      path,
      body: { scope: scopeOf(scope) },
      repeat: "always",
    });
    const found = Object.entries(isJsonObject(profiles) ? profiles : {});
    return Object.fromEntries(found.filter((profile): profile is [string, JsonObject] => isJsonObject(profile[1])));
  }

  /** Deletes the memories that were generated from this session alone. */
  async deleteSessionMemory(scope: MemoryScope, sessionId: string): Promise<void> {
    assertIdentifier("sessionId", sessionId);
    for (const memory of await this.#retrieveAll(scope)) {
      const { metadata, name } = memory;
      if (!isJsonObject(metadata) || metadataValue(metadata[SESSION]) !== sessionId) continue;
      await this.#client.delete(`${this.#memoriesOf(scope)}/${idOf(name)}`);
    }
  }

  /** Deletes all memories of the scope, and returns their number; with `dryRun` it only counts them. */
  async purgeMemories(scope: MemoryScope, { dryRun = false }: { readonly dryRun?: boolean } = {}): Promise<number> {
    const path = `${this.#memoriesOf(scope)}:purge`;
    const body = { filter: `scope=${quoted(JSON.stringify(scopeOf(scope)))}`, force: !dryRun };
    const started = await this.#client.call({ method: "POST", path, body, repeat: "always" });
    const { purgeCount } = await this.#client.complete(started);
    return typeof purgeCount === "number" ? purgeCount : 0;
  }

  async #generate(scope: MemoryScope, sessionId: string, events: readonly Event[]): Promise<JsonObject> {
    const path = `${this.#memoriesOf(scope)}:generate`;
    const sources = events.flatMap((event) => contentOf(event) ?? []).map((content) => ({ content }));
    if (sources.length === 0) return { done: true };
    const metadata = toMetadata({ [SESSION]: sessionId });
    const body = { directContentsSource: { events: sources }, scope: scopeOf(scope), metadata };
    return this.#client.call({ method: "POST", path, body, repeat: "always" });
  }

  async #retrieveAll(scope: MemoryScope): Promise<readonly JsonObject[]> {
    const path = `${this.#memoriesOf(scope)}:retrieve`;
    const found: JsonObject[] = [];
    let pageToken: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const body = { scope: scopeOf(scope), simpleRetrievalParams: defined({ pageSize: PAGE_SIZE, pageToken }) };
      const answer = await this.#client.call({ method: "POST", path, body, repeat: "always" });
      found.push(...memoriesOf(answer["retrievedMemories"]));
      const { nextPageToken } = answer;
      if (typeof nextPageToken !== "string" || nextPageToken === "") return found;
      pageToken = nextPageToken;
    }
    throw new PlatformError("OUTBOUND_RESPONSE_TOO_LARGE", "The user has more memories than can be read.");
  }

  /** Whether the entry of a call whose answer was lost is there, or comes within some seconds: its operation can go on. */
  async #appears(scope: MemoryScope, entryId: string): Promise<boolean> {
    const isThere = async () => {
      const memories = await this.listMemories(scope);
      return memories.some(({ customMetadata: known }) => known?.[ENTRY] === entryId) || undefined;
    };
    try {
      return await this.#client.poll("The creation of a memory", isThere, LOST_CREATION_MS);
    } catch (error) {
      if (hasStatus(error, 504)) return false;
      throw error;
    }
  }

  #factOf({ content, author, timestamp, id, customMetadata }: MemoryEntry, index: number) {
    const fact = textOf(content).trim();
    if (fact === "") throw wrong(`entries[${index}].content`, "must have a text");
    const timeMs = timestamp === undefined ? this.#sources.clock.now() : fromIsoTime(timestamp);
    if (timeMs === undefined) throw wrong("entry.timestamp", "must be an ISO 8601 time");
    const entryId = id ?? this.#sources.ids.next();
    const { ttlSeconds } = this.#options;
    return {
      ...defined({
        ...{ fact, metadata: toMetadata({ ...customMetadata, [ENTRY]: entryId }) },
        ttl: ttlSeconds === undefined ? undefined : `${ttlSeconds}s`,
        revisionLabels: defined({ author, timestamp: toIsoTime(timeMs) }),
      }),
      fact,
      id: entryId,
    };
  }

  #memoriesOf(scope: MemoryScope): string {
    assertMemoryScope(scope);
    const { appName, userId, tenantId = DEFAULT_TENANT } = scope;
    if (tenantId !== DEFAULT_TENANT) throw wrong("tenantId", "must be absent: Memory Bank has one tenant");
    // The service reads it as "any".
    for (const [field, value] of Object.entries({ appName, userId }))
      if (value.includes("*")) throw wrong(field, "must not have an asterisk in Memory Bank");
    return `${this.#engines.engineOf(appName)}/memories`;
  }
}

function scopeOf({ appName, userId }: MemoryScope): JsonObject {
  return { app_name: appName, user_id: userId };
}

/** The content of a complete event without thoughts, calls and responses; undefined if nothing is left. */
function contentOf({ partial, content }: Event): JsonObject | undefined {
  if (partial === true || content === undefined) return undefined;
  const parts = (content.parts ?? []).filter(
    ({ text = "", thought, inlineData, fileData }) =>
      thought !== true && (text.trim() !== "" || inlineData !== undefined || fileData !== undefined),
  );
  const kept: Content = { ...content, parts };
  return parts.length === 0 ? undefined : knownContent(kept);
}

function toEntry({ name, fact, updateTime, metadata }: JsonObject): MemoryEntry {
  const customMetadata = fromMetadata(metadata);
  return {
    content: { role: "user", parts: [{ text: String(fact ?? "") }] },
    author: "user",
    timestamp: typeof updateTime === "string" ? updateTime : undefined,
    id: idOf(name),
    customMetadata: Object.keys(customMetadata).length > 0 ? customMetadata : undefined,
  };
}

function memoriesOf(retrieved: unknown): readonly JsonObject[] {
  return itemsOf(retrieved).flatMap(({ memory }) => (isJsonObject(memory) ? [memory] : []));
}

function itemsOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function idOf(name: unknown): string {
  return String(name).replace(/^.*\//, "");
}

function wrong(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `${field} ${problem}.`, { details: { field } });
}
