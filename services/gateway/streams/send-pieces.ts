import type { FastifyReply } from "fastify";
import type { JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import { JSON_TYPE } from "../http/errors.ts";
import type { AnswerDeps } from "./answers-of.ts";
import { PacedResponse, type Pausable } from "./paced-response.ts";
import { RANGE_ROOM_BYTES, writePieces } from "./write-pieces.ts";

/** An answer that is created while it is written. */
export interface AnswerSource {
  readonly answers: AnswerReader;
  readonly pieces: AsyncGenerator<JsonPiece, void, undefined>;
  /** What it has read ahead. */
  readonly ahead?: Pausable;
}

export interface SendOptions {
  readonly type?: string;
}

/** From this size on, a text is written and not collected. */
export const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Sends an answer as fast as its reader takes it: only the current chunk is in memory. A short one is sent as a whole. An
 * error before the first chunk becomes an error answer; a later one closes the connection, as the status is already sent.
 */
export async function sendPieces(
  deps: AnswerDeps,
  reply: FastifyReply,
  { answers, pieces, ahead }: AnswerSource,
  { type = JSON_TYPE }: SendOptions = {},
): Promise<FastifyReply> {
  const { request } = reply;
  const pieceDeps = { artifactService: deps.artifactService, answers };
  let paced: PacedResponse | undefined;
  let text = "";
  try {
    for await (const piece of pieces) {
      const isShort = typeof piece === "string" && piece.length < CHUNK_CHARACTERS;
      if (isShort) text += piece;
      if (isShort && text.length < CHUNK_CHARACTERS) continue;
      if (paced === undefined) {
        // A file for which there is no room is refused, which an answer that has begun cannot be.
        if (typeof piece !== "string") await admitted(answers);
        paced = startAnswer(deps, reply, { type, answers });
        if (ahead !== undefined) paced.ahead.add(ahead);
      }
      if (paced.isOver || request.method === "HEAD") break;
      await writePieces(pieceDeps, paced, isShort ? [text] : [text, piece]);
      text = "";
    }
    if (paced === undefined) return reply.type(type).send(text);
    if (request.method !== "HEAD") await paced.write(text);
    paced.end();
  } catch (thrown) {
    if (paced === undefined) throw thrown;
    const error = toPlatformError(thrown);
    const about = { requestId: request.id, route: request.routeOptions.url };
    if (!paced.isOver) deps.logger.error({ ...about, reason: error.reason, error: thrown }, "answer broken off");
    reply.raw.destroy();
  }
  return reply;
}

/** Waits until there is room for a range of a file. */
async function admitted(answers: AnswerReader): Promise<void> {
  using _ = answers.take(RANGE_ROOM_BYTES) ?? (await answers.wait(RANGE_ROOM_BYTES));
}

/** The items as a JSON list. */
export async function* listPieces(
  items: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<string, void, undefined> {
  let separator = "[";
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

interface StartOptions {
  readonly type: string;
  readonly answers: AnswerReader;
}

/** Writes the head of the answer. */
function startAnswer(
  { config, logger }: AnswerDeps,
  reply: FastifyReply,
  { type, answers }: StartOptions,
): PacedResponse {
  const { request, raw } = reply;
  const headers = reply.getHeaders();
  reply.hijack();
  // Headers of hooks, such as CORS headers. Fastify's header type is wider than Node's.
  raw.writeHead(reply.statusCode, { ...(headers as Record<string, string>), "content-type": type });
  return new PacedResponse(raw, {
    answers,
    stallMs: config.SSE_STALL_MS,
    onGone: (why) => {
      if (why !== "stalled") return;
      const about = { requestId: request.id, route: request.routeOptions.url };
      logger.warn(about, "answer cut off: its reader took nothing for too long");
    },
  });
}
