import { StreamResponse, type TaskArtifactUpdateEvent } from "@a2a-js/sdk";
import type { FastifyReply } from "fastify";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RouteDeps } from "../deps.ts";
import { answersOf } from "../streams/answers-of.ts";
import { SseStream } from "../streams/sse.ts";
import type { ChunkSink } from "../tasks/follow-task.ts";
import { CURSOR_EXTENSION } from "../tasks/protocol.ts";

export interface UpdateStream<Item> {
  readonly items: AsyncGenerator<Item, void, undefined>;
  /** The item as the data of a frame. */
  readonly toJson: (item: Item) => JsonObject;
  /** The data of the last frame after a failure. */
  readonly toError: (error: unknown) => JsonObject;
  /** Set if the items come without the chunks that it takes. */
  readonly chunks?: ChunkFrames | undefined;
}

/** Writes the chunks of a stream as soon as they come, in frames. The stream opens it. */
export class ChunkFrames implements ChunkSink {
  readonly #texts = new UpdateTexts();
  readonly #before: string;
  readonly #after: string;
  #stream: SseStream | undefined;
  #frames = "";

  /** `before` and `after`: the data of a frame around the JSON of its update. */
  constructor(before = "", after = "") {
    this.#before = before;
    this.#after = after;
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  open(stream: SseStream): void {
    this.#stream = stream;
  }

  update(update: StreamResponse): void {
    const { payload } = update;
    const metadata = payload?.$case === "artifactUpdate" ? payload.value.metadata : undefined;
    this.#frames += frame(cursorIn(metadata), this.#before + this.#texts.textOf(update) + this.#after);
  }

  flush(): Promise<void> | undefined {
    const frames = this.#frames;
    this.#frames = "";
    return this.#stream?.writeAlone(frames);
  }
}

/**
 * Answers with server-sent events, no faster than their reader takes them: the SDK's own handlers write without waiting.
 * What fails before the first item is thrown, so that it has a status of its own.
 */
export async function streamUpdates<Item>(
  deps: RouteDeps,
  reply: FastifyReply,
  { items, toJson, toError, chunks }: UpdateStream<Item>,
): Promise<void> {
  const first = await items.next();
  const { config, logger } = deps;
  const stream = new SseStream(reply, {
    answers: answersOf(deps, reply.request),
    heartbeatMs: config.SSE_HEARTBEAT_MS,
    stallMs: config.SSE_STALL_MS,
    headers: {},
    // The operation itself notices that the connection is closed.
    onGone: (why) => {
      if (why === "stalled") logger.warn({ requestId: reply.request.id }, "stream cut off: its reader took nothing");
    },
  });
  chunks?.open(stream);
  const write = (data: JsonObject) => stream.write(frame(cursorOf(data), JSON.stringify(data)));
  try {
    for (let item = first; item.done !== true && !stream.isOver; item = await items.next())
      await write(toJson(item.value));
  } catch (error) {
    await write(toError(error));
  } finally {
    await items.return();
  }
  stream.end();
}

function frame(cursor: string | undefined, data: string): string {
  return cursor === undefined ? `data: ${data}\n\n` : `id: ${cursor}\ndata: ${data}\n\n`;
}

/** The position in the update's metadata, in either version and either binding. */
function cursorOf(data: JsonObject): string | undefined {
  const response = isJsonObject(data["result"]) ? data["result"] : data;
  const update = response["statusUpdate"] ?? response["artifactUpdate"] ?? response;
  return isJsonObject(update) ? cursorIn(update["metadata"]) : undefined;
}

function cursorIn(metadata: unknown): string | undefined {
  const place = isJsonObject(metadata) ? metadata[CURSOR_EXTENSION] : undefined;
  const cursor = isJsonObject(place) ? place["cursor"] : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}

interface AroundText {
  readonly artifactId: string;
  readonly name: string;
  /** The JSON before the text, from there to the event's id, and from there to the position. */
  readonly pieces: readonly [string, string, string];
}

const EMPTY_TEXT = '"parts":[{"text":""';
const NO_ID = '"adk_event_id":""';

/**
 * The JSON of updates. Chunks of text, which are most of a stream, are written without the SDK's tables: chunks of one
 * answer differ in their text, event and position alone.
 */
export class UpdateTexts {
  #last: AroundText | undefined;

  textOf(update: StreamResponse): string {
    const { payload } = update;
    const value = payload?.$case === "artifactUpdate" ? payload.value : undefined;
    const part = value?.artifact?.parts.length === 1 ? value.artifact.parts[0] : undefined;
    const isBare = part?.metadata === undefined && part?.filename === "" && part.mediaType === "";
    const cursor = cursorIn(value?.metadata);
    const eventId = value?.metadata?.["adk_event_id"];
    if (value?.artifact === undefined || !isBare || part.content?.$case !== "text" || !value.append || value.lastChunk)
      return JSON.stringify(StreamResponse.toJSON(update));
    if (cursor === undefined || eventId === undefined) return JSON.stringify(StreamResponse.toJSON(update));
    const { artifactId, name } = value.artifact;
    if (this.#last?.artifactId !== artifactId || this.#last.name !== name)
      this.#last = { artifactId, name, pieces: aroundText(value, cursor) };
    const [head, middle, tail] = this.#last.pieces;
    return `${head}${JSON.stringify(part.content.value)}${middle}${JSON.stringify(eventId)}${tail}${cursor}"}}}}`;
  }
}

/** Names and ids have no bare quotes, so that each mark is in the JSON once. The position is its end. */
function aroundText(chunk: TaskArtifactUpdateEvent, cursor: string): AroundText["pieces"] {
  const part = { content: { $case: "text", value: "" }, metadata: undefined, filename: "", mediaType: "" } as const;
  const artifact = chunk.artifact && { ...chunk.artifact, parts: [part] };
  const value = { ...chunk, artifact, metadata: { ...chunk.metadata, adk_event_id: "" } };
  const json = JSON.stringify(StreamResponse.toJSON({ payload: { $case: "artifactUpdate", value } }));
  const text = json.indexOf(EMPTY_TEXT) + EMPTY_TEXT.length;
  const id = json.indexOf(NO_ID, text) + NO_ID.length;
  return [json.slice(0, text - 2), json.slice(text, id - 2), json.slice(id, -`${cursor}"}}}}`.length)];
}
