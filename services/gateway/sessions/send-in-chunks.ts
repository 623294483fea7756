import type { FastifyReply } from "fastify";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { GatewayDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { PacedResponse } from "../streams/paced-response.ts";

/**
 * Sends JSON that is created while it is written, as fast as the reader takes it: only the current chunk of a long
 * answer is in memory. An answer of one chunk is sent as a whole. An error before the second chunk becomes an error
 * answer; a later one closes the connection, as the status is already sent.
 */
export async function sendInChunks(
  { config, logger }: Pick<GatewayDeps, "config" | "logger">,
  reply: FastifyReply,
  chunks: AsyncGenerator<string, void, undefined>,
): Promise<FastifyReply> {
  const first = await chunks.next();
  const second = await chunks.next();
  if (first.done === true || second.done === true) return reply.type(JSON_TYPE).send(first.value ?? "");
  const { request, raw } = reply;
  const about = { requestId: request.id, route: request.routeOptions.url };
  const headers = reply.getHeaders();
  reply.hijack();
  // Headers of hooks, such as CORS headers. Fastify's header type is wider than Node's.
  raw.writeHead(200, { ...(headers as Record<string, string>), "content-type": JSON_TYPE });
  const paced = new PacedResponse(raw, {
    stallMs: config.SSE_STALL_MS,
    onGone: (why) => {
      if (why === "stalled") logger.warn(about, "answer cut off: its reader took nothing for too long");
    },
  });
  try {
    if (request.method !== "HEAD") {
      await paced.write(first.value);
      await paced.write(second.value);
      for await (const chunk of chunks) {
        if (paced.isOver) break;
        await paced.write(chunk);
      }
    }
    paced.end();
  } catch (thrown) {
    const error = toPlatformError(thrown);
    if (!paced.isOver) logger.error({ ...about, reason: error.reason, error: thrown }, "answer broken off");
    raw.destroy();
  }
  return reply;
}
