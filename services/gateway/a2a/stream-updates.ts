import type { FastifyReply } from "fastify";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RouteDeps } from "../deps.ts";
import { answersOf } from "../streams/answers-of.ts";
import { SseStream } from "../streams/sse.ts";
import { CURSOR_EXTENSION } from "../tasks/protocol.ts";

export interface UpdateStream<Item> {
  readonly items: AsyncGenerator<Item, void, undefined>;
  /** The item as the data of a frame. */
  readonly toJson: (item: Item) => JsonObject;
  /** The data of the last frame after a failure. */
  readonly toError: (error: unknown) => JsonObject;
}

/**
 * Answers with server-sent events, no faster than their reader takes them: the SDK's own handlers write without waiting.
 * What fails before the first item is thrown, so that it has a status of its own.
 */
export async function streamUpdates<Item>(
  deps: RouteDeps,
  reply: FastifyReply,
  { items, toJson, toError }: UpdateStream<Item>,
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
  try {
    for (let item = first; item.done !== true && !stream.isOver; item = await items.next())
      await stream.write(frame(toJson(item.value)));
  } catch (error) {
    await stream.write(frame(toError(error)));
  } finally {
    await items.return();
  }
  stream.end();
}

function frame(data: JsonObject): string {
  const cursor = cursorOf(data);
  return `${cursor === undefined ? "" : `id: ${cursor}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The position in the update's metadata, in either version and either binding. */
function cursorOf(data: JsonObject): string | undefined {
  const response = isJsonObject(data["result"]) ? data["result"] : data;
  const update = response["statusUpdate"] ?? response["artifactUpdate"] ?? response;
  const metadata = isJsonObject(update) ? update["metadata"] : undefined;
  const place = isJsonObject(metadata) ? metadata[CURSOR_EXTENSION] : undefined;
  const cursor = isJsonObject(place) ? place["cursor"] : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}
