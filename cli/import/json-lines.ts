import { createReadStream } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { readEvent } from "#kit/events/event-json.ts";
import { assertSessionKey } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { assertSize, parseObject } from "./adk-events.ts";
import { type BoundedLine, boundedLines } from "./bounded-lines.ts";
import type { SessionSource, SourceItem, SourceLimits } from "./session-source.ts";

export interface JsonLinesOptions {
  readonly path: string;
  readonly limits: SourceLimits;
  /** The tenant of lines that name none. */
  readonly tenantId?: string | undefined;
}

/** A session whose lines are being read. */
interface OpenSession {
  readonly place: string;
  readonly key: SessionKey;
  readonly state: JsonObject;
  readonly lastUpdateTime: number;
  readonly closedTime: number | undefined;
  readonly events: Event[];
  bytes: number;
  /** Why the session as a whole cannot be read. */
  refusal: string | undefined;
}

/** Kinds of lines that an export has and an import does not take. */
const OTHERS: ReadonlySet<unknown> = new Set([
  ...["run", "user-state", "app-state", "memory", "eval-set", "eval-result", "evaluation", "evaluation-result"],
  ...["api-key", "unnamed-files", "cursor"],
]);

/**
 * The lines that `fairlead export` and `fairlead tenants export` write: a session, its events, then files. Other lines of
 * these exports are left out.
 */
export class JsonLines implements SessionSource {
  readonly #options: JsonLinesOptions;
  #open: OpenSession | undefined;
  #isComplete = false;

  constructor(options: JsonLinesOptions) {
    this.#options = options;
  }

  async *items(): AsyncGenerator<SourceItem> {
    const { path, limits } = this.#options;
    // The content of a file is in base64.
    const lines = boundedLines(createReadStream(path), 2 * limits.maxSessionBytes);
    let last = 0;
    for await (const line of lines) {
      last = line.number;
      const problems: SourceItem[] = [];
      yield* this.#line(line, problems);
      yield* problems;
    }
    yield* this.#close();
    if (this.#isComplete) return;
    const reason = "The last line is not one of the kind end: the export was cut off.";
    yield { kind: "problem", place: `line ${last}`, reason };
  }

  *#line({ number, text }: BoundedLine, problems: SourceItem[]): Generator<SourceItem> {
    const place = `line ${number}`;
    try {
      const { maxSessionBytes, maxElements } = this.#options.limits;
      if (text === undefined)
        throw new PlatformError(
          "BODY_TOO_LARGE",
          `It is longer than ${2 * maxSessionBytes} bytes (MAX_FILE_BODY_BYTES).`,
        );
      if (text.trim() === "") return;
      const line = parseObject(text, { maxElements });
      this.#isComplete = line["kind"] === "end";
      switch (line["kind"]) {
        case "session":
          yield* this.#close();
          this.#open = this.#sessionOf(line, place);
          return;
        case "event":
          this.#addEvent(line, text);
          return;
        case "artifact":
          yield* this.#close();
          yield this.#fileOf(line);
          return;
        case "end":
          return;
        default:
          if (!OTHERS.has(line["kind"])) throw new PlatformError("INVALID_FIELD", "Its kind is not one of an export.");
      }
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      problems.push({ kind: "problem", place, reason: error.message });
    }
  }

  *#close(): Generator<SourceItem> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { place, refusal, bytes: _, ...session } = open;
    if (refusal === undefined) yield { kind: "session", ...session };
    else yield { kind: "problem", place, reason: refusal };
  }

  #sessionOf(line: JsonObject, place: string): OpenSession {
    // A session that cannot be read takes its events with it.
    this.#open = undefined;
    const { state = {}, lastUpdateTime, closedTime } = line;
    const key = this.#keyOf(line, line["id"]);
    if (!isJsonObject(state)) throw invalid("state must be an object.");
    assertSize(Buffer.byteLength(JSON.stringify(state)), this.#options.limits);
    if (typeof lastUpdateTime !== "number" || lastUpdateTime < 0) throw invalid("lastUpdateTime must be milliseconds.");
    if (closedTime !== undefined && typeof closedTime !== "number") throw invalid("closedTime must be milliseconds.");
    return { place, key, state, lastUpdateTime, closedTime, events: [], bytes: 0, refusal: undefined };
  }

  #addEvent(line: JsonObject, text: string): void {
    const open = this.#open;
    const { appName, userId, id } = open?.key ?? {};
    if (open === undefined || line["appName"] !== appName || line["userId"] !== userId || line["sessionId"] !== id)
      throw invalid("Its session is not the one before it.");
    const { limits } = this.#options;
    open.bytes += Buffer.byteLength(text);
    if (open.events.length >= limits.maxEvents)
      open.refusal = `It has more than the ${limits.maxEvents} events of MAX_IMPORTED_EVENTS.`;
    if (open.bytes > limits.maxSessionBytes)
      open.refusal = `Its events have more than the ${limits.maxSessionBytes} bytes of MAX_FILE_BODY_BYTES.`;
    if (open.refusal !== undefined) {
      open.events.length = 0;
      return;
    }
    assertSize(Buffer.byteLength(text), limits);
    open.events.push(readEvent(line["event"]));
  }

  #fileOf(line: JsonObject): SourceItem {
    const { filename, version, artifact, customMetadata, sessionId = "-" } = line;
    const session = this.#keyOf(line, sessionId);
    if (typeof filename !== "string" || filename === "") throw invalid("filename must be a text.");
    if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 0)
      throw invalid("version must be a whole number.");
    if (!isJsonObject(artifact)) throw invalid("artifact must be a part.");
    const metadata = isJsonObject(customMetadata) ? customMetadata : undefined;
    // The store checks the part.
    return { kind: "file", session, filename, version, artifact: artifact as Part, customMetadata: metadata };
  }

  #keyOf({ tenantId, appName, userId }: JsonObject, id: unknown): SessionKey {
    const key = {
      ...inTenant(typeof tenantId === "string" ? tenantId : this.#options.tenantId),
      ...{ appName: String(appName ?? ""), userId: String(userId ?? ""), id: String(id ?? "") },
    };
    assertSessionKey(key);
    return key;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function invalid(message: string): PlatformError {
  return new PlatformError("INVALID_FIELD", message);
}
