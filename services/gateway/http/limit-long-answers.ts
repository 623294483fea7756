import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "#kit/platform/logger.ts";
import type { AnswerReader, Room } from "#shared/answers/answer-account.ts";
import type { GatewayConfig } from "../config.ts";

/** Shorter answers cost less memory than the system's own buffers of a connection. */
const LONG_CHARACTERS = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;

interface Options {
  readonly config: Pick<GatewayConfig, "SSE_STALL_MS">;
  readonly logger: Logger;
  readonly answersOf: (request: FastifyRequest) => AnswerReader;
}

/**
 * Answers that are created as a whole have a size that constants or the operator's files bound. The long ones of them
 * count in the account too, and a reader that takes nothing of one is cut off.
 */
export function limitLongAnswers(app: Pick<FastifyInstance, "addHook">, { config, logger, answersOf }: Options): void {
  const cutOffStalled = ({ raw, request }: FastifyReply): void => {
    // Restarted by each byte that the connection takes.
    raw.setTimeout(config.SSE_STALL_MS, () => {
      const about = { requestId: request.id, route: request.routeOptions.url };
      logger.warn(about, "answer cut off: its reader took nothing for too long");
      raw.destroy();
    });
  };

  const send = (reply: FastifyReply, payload: string, room: Room): unknown => {
    const { raw, request } = reply;
    if (raw.destroyed) room[Symbol.dispose]();
    else raw.once("close", () => room[Symbol.dispose]());
    cutOffStalled(reply);
    const bytes = Buffer.from(payload);
    reply.header("content-length", bytes.length);
    return request.method === "HEAD" ? payload : Readable.from(chunksOf(bytes), { objectMode: false });
  };

  app.addHook("onSend", (request, reply, payload, done) => {
    if (payload instanceof Readable) cutOffStalled(reply);
    if (typeof payload !== "string" || payload.length < LONG_CHARACTERS) return done(null, payload);
    const answers = answersOf(request);
    const bytes = 2 * payload.length;
    const evict = (): void => void reply.raw.destroy();
    // The result of a write is sent in any case; errors are small.
    if (request.method !== "GET") return done(null, send(reply, payload, answers.hold(bytes, evict)));
    answers.wait(bytes).then(
      (room) => done(null, send(reply, payload, room)),
      (error: Error) => done(error),
    );
  });
}

function* chunksOf(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
