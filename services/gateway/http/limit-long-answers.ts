import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { GatewayConfig } from "../config.ts";

/** Shorter answers cost less memory than the system's own buffers of a connection. */
const LONG_CHARACTERS = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;

interface Options {
  readonly config: Pick<GatewayConfig, "SSE_STALL_MS" | "MAX_ANSWER_BYTES">;
  readonly logger: Logger;
}

/**
 * Bounds the memory of long answers that are created as a whole, such as files: a reader that takes nothing is cut off,
 * and reads are refused while the process's unsent answers are too large together.
 */
export function limitLongAnswers(app: Pick<FastifyInstance, "addHook">, { config, logger }: Options): void {
  let bytesUnderWay = 0;

  const cutOffStalled = ({ raw, request }: FastifyReply): void => {
    // Restarted by each byte that the connection takes.
    raw.setTimeout(config.SSE_STALL_MS, () => {
      const about = { requestId: request.id, route: request.routeOptions.url };
      logger.warn(about, "answer cut off: its reader took nothing for too long");
      raw.destroy();
    });
  };

  app.addHook("onSend", (request, reply, payload, done) => {
    if (payload instanceof Readable) cutOffStalled(reply);
    if (typeof payload !== "string" || payload.length < LONG_CHARACTERS) return done(null, payload);
    const bytes = Buffer.from(payload);
    const isOver = bytesUnderWay > 0 && bytesUnderWay + bytes.length > config.MAX_ANSWER_BYTES;
    // The result of a write is sent in any case; errors are small.
    if (isOver && config.MAX_ANSWER_BYTES > 0 && request.method === "GET") return done(tooMuch());
    if (!reply.raw.destroyed) {
      bytesUnderWay += bytes.length;
      reply.raw.once("close", () => {
        bytesUnderWay -= bytes.length;
      });
    }
    cutOffStalled(reply);
    reply.header("content-length", bytes.length);
    done(null, request.method === "HEAD" ? payload : Readable.from(chunksOf(bytes), { objectMode: false }));
  });
}

function* chunksOf(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

function tooMuch(): PlatformError {
  return new PlatformError(
    "ANSWERS_TOO_LARGE",
    "The server is writing as many bytes of long answers as it may (MAX_ANSWER_BYTES). Try again soon.",
    { details: { limit: "MAX_ANSWER_BYTES", retryAfterSeconds: "2" } },
  );
}
