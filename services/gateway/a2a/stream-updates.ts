import { StreamResponse } from "@a2a-js/sdk";
import type { FastifyReply } from "fastify";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RouteDeps } from "../deps.ts";
import { answersOf } from "../streams/answers-of.ts";
import { FrameBuffer } from "../streams/frames.ts";
import type { Pausable } from "../streams/paced-response.ts";
import { SseStream } from "../streams/sse.ts";
import type { UpdateSink } from "../tasks/follow-task.ts";
import { CURSOR_EXTENSION } from "../tasks/protocol.ts";

export interface UpdateStream<Item> {
  readonly items: AsyncGenerator<Item, void, undefined>;
  /** The item as the data of a frame. */
  readonly toJson: (item: Item) => JsonObject;
  /** The data of the last frame after a failure. */
  readonly toError: (error: unknown) => JsonObject;
  /** Set if it takes what follows the first item. */
  readonly frames?: UpdateFrames | undefined;
}

/** Writes updates as frames. Its stream is the one that the first update opens. */
export class UpdateFrames implements UpdateSink {
  readonly #before: string;
  readonly #after: string;
  #stream: SseStream | undefined;
  #buffer: FrameBuffer | undefined;

  /** `before` and `after`: the data of a frame around the JSON of its update. */
  constructor(before = "", after = "") {
    this.#before = before;
    this.#after = after;
  }

  get ahead(): Set<Pausable> | undefined {
    return this.#stream?.ahead;
  }

  open(stream: SseStream): void {
    this.#stream = stream;
    this.#buffer = new FrameBuffer(stream);
  }

  update(update: StreamResponse): void {
    // The SDK writes plain objects.
    const data = StreamResponse.toJSON(update) as JsonObject;
    this.json(JSON.stringify(data), cursorOf(data));
  }

  add(frame: string): undefined {
    this.#buffer?.add(frame);
  }

  json(json: string, cursor: string | undefined): void {
    this.add(frame(cursor, this.#before + json + this.#after));
  }

  isFull(): boolean {
    return this.#buffer?.isFull === true;
  }

  flush(): Promise<void> | undefined {
    return this.#buffer?.flush();
  }

  flushAlone(): Promise<void> | undefined {
    return this.#buffer?.flushAlone();
  }
}

/**
 * Answers with server-sent events, no faster than their reader takes them: the SDK's own handlers write without waiting.
 * What fails before the first item is thrown, so that it has a status of its own.
 */
export async function streamUpdates<Item>(
  deps: RouteDeps,
  reply: FastifyReply,
  { items, toJson, toError, frames }: UpdateStream<Item>,
): Promise<void> {
  const first = await items.next();
  const { config, logger } = deps;
  const stream = new SseStream(reply, {
    answers: answersOf(deps, reply.request),
    heartbeatMs: config.SSE_HEARTBEAT_MS,
    stallMs: config.SSE_STALL_MS,
    headers: {},
    isBegun: first.done !== true,
    // The operation itself notices that the connection is closed.
    onGone: (why) => {
      if (why === "stalled") logger.warn({ requestId: reply.request.id }, "stream cut off: its reader took nothing");
    },
  });
  frames?.open(stream);
  const write = (data: JsonObject) => {
    const text = frame(cursorOf(data), JSON.stringify(data));
    // It is written with what follows it at once.
    return frames === undefined ? stream.write(text) : frames.add(text);
  };
  try {
    for (let item = first; item.done !== true && !stream.isOver; item = await items.next())
      await write(toJson(item.value));
  } catch (error) {
    await write(toError(error));
  } finally {
    await items.return();
  }
  await frames?.flush();
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
