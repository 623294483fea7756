import type { FastifyReply } from "fastify";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { GatewayDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { PacedResponse } from "../streams/paced-response.ts";

/**
 * Answers JSON that is made while it is written, as fast as the reader takes it: of a long answer only the chunk of the moment is in
 * memory. An answer of one chunk is sent as a whole. An error before the second chunk is answered as such; a later one breaks the
 * connection off, as the status is out.
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
  // What hooks have set, such as CORS headers. Fastify's header type knows more than Node's, whose it is.
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
