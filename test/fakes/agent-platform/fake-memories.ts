import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import {
  DIRECT_EVENT,
  GENERATE_MEMORIES,
  INGEST_EVENTS,
  NEW_MEMORY,
  PURGE_MEMORIES,
  RETRIEVE_MEMORIES,
  RETRIEVE_PROFILES,
} from "./memory-shapes.ts";
import { bodyOf, checkQuery, type PlatformParts, type WireRequest } from "./wire-request.ts";
import { WireProblem } from "./wire-shapes.ts";

const PURGE_FILTER = /^scope\s*=\s*"((?:[^"\\]|\\.)*)"$/;

/**
 * `reasoningEngines.memories`: its model takes each text of a user as a fact, and merges equal ones.
 */
export class FakeMemories {
  readonly stored = new Map<string, JsonObject>();
  /** Profiles by scope, in canonical JSON. */
  readonly profiles = new Map<string, JsonObject>();
  /** Ids of the events of each stream. */
  readonly streams = new Map<string, Set<string>>();
  readonly #parts: PlatformParts;
  #created = 0;

  constructor(parts: PlatformParts) {
    this.#parts = parts;
  }

  /** Undefined for a path that names neither memories nor one of them. */
  answer(request: WireRequest, engine: string): JsonObject | undefined {
    const { method, path } = request;
    const rest = path.startsWith(`${engine}/memories`) ? path.slice(`${engine}/memories`.length) : undefined;
    if (rest === undefined) return undefined;
    checkQuery(request);
    if (method === "DELETE" && this.stored.has(path)) {
      return this.#parts.operation(path, () => {
        this.stored.delete(path);
        return {};
      });
    }
    if (method !== "POST") throw new WireProblem(`Not found: ${method} ${path}`, 404);
    if (rest === "") return this.#create(bodyOf(request, NEW_MEMORY), engine);
    if (rest === ":generate") return this.#generate(bodyOf(request, GENERATE_MEMORIES), engine);
    if (rest === ":ingestEvents") return this.#ingest(bodyOf(request, INGEST_EVENTS), engine);
    if (rest === ":retrieve") return this.#retrieve(request, bodyOf(request, RETRIEVE_MEMORIES), engine);
    if (rest === ":retrieveProfiles")
      return { profiles: this.profiles.get(canonicalJson(bodyOf(request, RETRIEVE_PROFILES)["scope"] ?? {})) ?? {} };
    return rest === ":purge" ? this.#purge(bodyOf(request, PURGE_MEMORIES), engine) : undefined;
  }

  #create({ ttl, revisionLabels: _, ...memory }: JsonObject, engine: string): JsonObject {
    this.#created += 1;
    const name = `${engine}/memories/${this.#created}`;
    const now = this.#parts.clock.now();
    const times = { createTime: toIsoTime(now), updateTime: toIsoTime(now) };
    const expireTime = typeof ttl === "string" ? toIsoTime(now + Number(ttl.slice(0, -1)) * 1000) : undefined;
    const stored = { name, ...times, ...memory, ...(expireTime !== undefined && { expireTime }) };
    return this.#parts.operation(name, () => {
      this.stored.set(name, stored);
      return stored;
    });
  }

  #generate(body: JsonObject, engine: string): JsonObject {
    const facts = [
      ...eventsOf(body["directContentsSource"]).flatMap(({ content }) => factsOf(content)),
      ...(isJsonObject(body["directMemoriesSource"]) ? listOf(body["directMemoriesSource"]["directMemories"]) : []).map(
        ({ fact }) => String(fact),
      ),
    ];
    return this.#parts.operation(`${engine}/memories/generation`, () => ({
      generatedMemories: facts.map((fact) => this.#merge(fact, body, engine)),
    }));
  }

  #merge(fact: string, { scope = {}, metadata }: JsonObject, engine: string): JsonObject {
    const known = this.#inScope(scope, engine).find((memory) => memory["fact"] === fact);
    const updateTime = toIsoTime(this.#parts.clock.now());
    const name = known?.["name"] ?? `${engine}/memories/${(this.#created += 1)}`;
    const memory = {
      createTime: updateTime,
      ...known,
      name,
      fact,
      scope,
      updateTime,
      ...(metadata !== undefined && { metadata }),
    };
    this.stored.set(String(name), memory);
    return { memory, action: known === undefined ? "CREATED" : "UPDATED" };
  }

  #ingest(body: JsonObject, engine: string): JsonObject {
    const stream = `${engine}/${String(body["streamId"])}`;
    const known = this.streams.get(stream) ?? new Set<string>();
    this.streams.set(stream, known);
    const fresh = eventsOf(body["directContentsSource"]).filter(({ eventId }) => !known.has(String(eventId)));
    for (const event of fresh) {
      DIRECT_EVENT(event, "directContentsSource.events[]");
      known.add(String(event["eventId"]));
      if (body["forceFlush"] === true) for (const fact of factsOf(event["content"])) this.#merge(fact, body, engine);
    }
    return {};
  }

  #retrieve(request: WireRequest, body: JsonObject, engine: string): JsonObject {
    const found = this.#inScope(body["scope"] ?? {}, engine);
    const similar = body["similaritySearchParams"];
    if (isJsonObject(similar)) {
      const words = wordsOf(String(similar["searchQuery"]));
      const ranked = found
        .map((memory) => ({ memory, distance: 1 - shared(words, wordsOf(String(memory["fact"]))) / words.size }))
        .toSorted((one, other) => one.distance - other.distance);
      return { retrievedMemories: ranked.slice(0, Number(similar["topK"] ?? 3)) };
    }
    const simple = isJsonObject(body["simpleRetrievalParams"]) ? body["simpleRetrievalParams"] : {};
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(simple)) query.set(name, String(value));
    const items = found.map((memory) => ({ memory }));
    return this.#parts.page({ ...request, query }, items, "retrievedMemories");
  }

  #purge({ filter, force }: JsonObject, engine: string): JsonObject {
    const scope = PURGE_FILTER.exec(String(filter))?.[1]?.replaceAll(/\\(.)/g, "$1");
    if (scope === undefined) throw new WireProblem(`Invalid filter: ${String(filter)}`);
    const found = this.#inScope(JSON.parse(scope), engine);
    return this.#parts.operation(`${engine}/memories/purge`, () => {
      if (force === true) for (const { name } of found) this.stored.delete(String(name));
      return { purgeCount: found.length };
    });
  }

  #inScope(scope: JsonValue, engine: string): readonly JsonObject[] {
    const wanted = canonicalJson(scope);
    return [...this.stored.values()].filter(
      ({ name, scope: own = {}, expireTime }) =>
        String(name).startsWith(`${engine}/`) &&
        canonicalJson(own) === wanted &&
        (typeof expireTime !== "string" || (fromIsoTime(expireTime) ?? 0) > this.#parts.clock.now()),
    );
  }
}

function eventsOf(source: JsonValue | undefined): readonly JsonObject[] {
  return isJsonObject(source) ? listOf(source["events"]) : [];
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function factsOf(content: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(content) || content["role"] !== "user") return [];
  return listOf(content["parts"]).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/\p{L}+/gu) ?? []);
}

function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((word) => other.has(word)).length;
}
