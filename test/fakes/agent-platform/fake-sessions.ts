import { fromIsoTime, toIsoTime } from "#kit/platform/iso-time.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { bodyOf, checkQuery, type PlatformParts, type WireRequest } from "./wire-request.ts";
import { CHANGED_SESSION, NEW_SESSION, SESSION_EVENT, WireProblem } from "./wire-shapes.ts";

interface StoredSession {
  resource: Record<string, JsonValue>;
  /** Its creation is done. */
  isReady: boolean;
  readonly events: JsonObject[];
}

const SESSION = /^(.*\/sessions\/([A-Za-z0-9_-]{1,256}))(\/events|:appendEvent)?$/;
const TIME_FILTER = /^timestamp\s*(>=|>|<=|<|=)\s*"([^"]+)"$/;
const USER_FILTER = /^user_id\s*=\s*"((?:[^"\\]|\\.)*)"$/;

/** `reasoningEngines.sessions` and their events. */
export class FakeSessions {
  readonly stored = new Map<string, StoredSession>();
  readonly #parts: PlatformParts;
  #created = 0;
  #events = 0;

  constructor(parts: PlatformParts) {
    this.#parts = parts;
  }

  /** Undefined for a path that names neither sessions nor one of them. */
  answer(request: WireRequest, engine: string): JsonObject | undefined {
    const { method, path } = request;
    if (path === `${engine}/sessions`) {
      if (method === "POST") return this.#create(request, engine);
      return method === "GET" ? this.#list(request, engine) : undefined;
    }
    const [, name, , rest] = SESSION.exec(path) ?? [];
    if (name === undefined) return undefined;
    if (rest === "/events") return method === "GET" ? this.#listEvents(request, name) : undefined;
    if (rest === ":appendEvent") return method === "POST" ? this.#append(request, name) : undefined;
    if (method === "GET") return this.#find(name).resource;
    if (method === "PATCH") return this.#update(request, name);
    return method === "DELETE" ? this.#delete(name) : undefined;
  }

  /** Stores an event as another client writes it, unchecked. */
  plant(name: string, event: JsonObject): void {
    this.#events += 1;
    this.#find(name).events.push({ name: `${name}/events/${this.#events}`, ...event });
  }

  #create(request: WireRequest, engine: string): JsonObject {
    checkQuery(request, "sessionId");
    const body = bodyOf(request, NEW_SESSION);
    this.#created += 1;
    const id = request.query.get("sessionId") ?? String(this.#created);
    const name = `${engine}/sessions/${id}`;
    if (!SESSION.test(name)) throw new WireProblem("session_id is not valid.");
    if (this.#alive(name) !== undefined) throw new WireProblem(`Session ${id} already exists.`, 409);
    const now = this.#parts.clock.now();
    const { ttl, ...rest } = body;
    const expireTime = typeof ttl === "string" ? toIsoTime(now + Number(ttl.slice(0, -1)) * 1000) : body["expireTime"];
    const session: StoredSession = {
      resource: {
        name,
        ...{ createTime: precise(now, this.#created), updateTime: toIsoTime(now) },
        ...rest,
        ...(expireTime !== undefined && { expireTime }),
      },
      isReady: false,
      events: [],
    };
    this.stored.set(name, session);
    return this.#parts.operation(name, () => {
      session.isReady = true;
      return session.resource;
    });
  }

  #list(request: WireRequest, engine: string): JsonObject {
    checkQuery(request, "pageSize", "pageToken", "filter", "orderBy");
    const filter = request.query.get("filter");
    const user = USER_FILTER.exec(filter ?? "")?.[1]?.replaceAll(/\\(.)/g, "$1");
    if (filter !== null && user === undefined) throw new WireProblem(`Invalid filter: ${filter}`);
    const found = [...this.stored.values()].filter(
      ({ resource: { name, userId }, isReady }) =>
        isReady &&
        String(name).startsWith(`${engine}/`) &&
        (user === undefined || userId === user) &&
        this.#alive(String(name)),
    );
    return this.#parts.page(
      request,
      found.map(({ resource }) => resource),
      "sessions",
    );
  }

  #listEvents(request: WireRequest, name: string): JsonObject {
    checkQuery(request, "pageSize", "pageToken", "filter", "orderBy");
    const filter = request.query.get("filter");
    const [, operator = "", since = ""] = TIME_FILTER.exec(filter ?? "") ?? [];
    if (filter !== null && operator === "") throw new WireProblem(`Invalid filter: ${filter}`);
    const order = request.query.get("orderBy") ?? "timestamp";
    if (!/^timestamp( desc)?$/.test(order)) throw new WireProblem(`Invalid order_by: ${order}`);
    const events = this.#find(name)
      .events.filter(({ timestamp }) => operator === "" || compares(String(timestamp), operator, since))
      .toSorted((one, other) => (key(one) < key(other) ? -1 : Number(key(one) > key(other))));
    if (order.endsWith("desc")) events.reverse();
    return this.#parts.page(request, events, "sessionEvents");
  }

  #append(request: WireRequest, name: string): JsonObject {
    checkQuery(request);
    const body = bodyOf(request, SESSION_EVENT);
    const session = this.#find(name);
    this.#events += 1;
    session.events.push({ name: `${name}/events/${this.#events}`, ...body });
    const actions = isJsonObject(body["actions"]) ? body["actions"] : {};
    const delta = isJsonObject(actions["stateDelta"]) ? actions["stateDelta"] : {};
    const before = session.resource["sessionState"];
    session.resource = {
      ...session.resource,
      updateTime: toIsoTime(this.#parts.clock.now()),
      // As the service: a removed key stays without a value.
      sessionState: { ...(isJsonObject(before) ? before : {}), ...delta },
    };
    return {};
  }

  #update(request: WireRequest, name: string): JsonObject {
    checkQuery(request, "updateMask");
    const body = bodyOf(request, CHANGED_SESSION);
    const session = this.#find(name);
    if (body["name"] !== name) throw new WireProblem("session.name does not match the path.");
    if (body["userId"] !== undefined && body["userId"] !== session.resource["userId"])
      throw new WireProblem("user_id is immutable.");
    const mask = request.query.get("updateMask")?.split(",") ?? Object.keys(body);
    for (const member of mask) {
      const value = body[member];
      if (value === undefined) throw new WireProblem(`The mask names ${member}, which the session lacks.`);
      session.resource = { ...session.resource, [member]: value };
    }
    return session.resource;
  }

  #delete(name: string): JsonObject {
    this.#find(name);
    return this.#parts.operation(name, () => {
      this.stored.delete(name);
      return {};
    });
  }

  #find(name: string): StoredSession {
    const session = this.#alive(name);
    if (session?.isReady === true) return session;
    throw new WireProblem(`Session ${name} not found.`, 404);
  }

  /** Undefined if the session has expired. */
  #alive(name: string): StoredSession | undefined {
    const session = this.stored.get(name);
    const expires = session?.resource["expireTime"];
    return typeof expires === "string" && (fromIsoTime(expires) ?? 0) <= this.#parts.clock.now() ? undefined : session;
  }
}

function key({ timestamp }: JsonObject): string {
  return padded(String(timestamp));
}

/** With all nine digits, so that texts compare as times. */
function padded(timestamp: string): string {
  const [seconds = "", fraction = ""] = timestamp.replace("Z", "").split(".");
  return `${seconds}.${fraction.padEnd(9, "0")}`;
}

function compares(timestamp: string, operator: string, since: string): boolean {
  const [one, other] = [padded(timestamp), padded(since)];
  if (operator.startsWith(">")) return one > other || (operator === ">=" && one === other);
  if (operator.startsWith("<")) return one < other || (operator === "<=" && one === other);
  return one === other;
}

/** The service's own times have microseconds. */
function precise(timeMs: number, count: number): string {
  return toIsoTime(timeMs).replace("Z", `${String(count % 1000).padStart(3, "0")}Z`);
}
