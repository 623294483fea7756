import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler, RouteOptions } from "fastify";
import type { Logger } from "#kit/platform/logger.ts";
import type { AnswerReader, Room } from "#shared/answers/answer-account.ts";
import type { GatewayConfig } from "../config.ts";
import { boundOf } from "./answer-bound.ts";

/** Shorter answers cost less memory than the system's own buffers of a connection. */
const LONG_CHARACTERS = 64 * 1024;
/** An answer in parts is sent as a whole if it is not longer. */
const SHORT_CHARACTERS = 512 * 1024;
const CHUNK_BYTES = 64 * 1024;

interface Options {
  readonly config: GatewayConfig;
  readonly logger: Logger;
  readonly answersOf: (request: FastifyRequest) => AnswerReader;
}

/**
 * Holds what the routes declare of their answers: takes the room of those that state their bytes before their handlers
 * run, and counts each long answer that is sent as a whole until its reader has it. A reader that takes nothing is cut off.
 */
export class AnswerLimits {
  readonly #options: Options;
  readonly #rooms = new WeakMap<FastifyRequest, Room>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Adds the hook of a route that states its bytes, once: a copy of a route has it. Other routes have none. */
  addTo(route: RouteOptions): void {
    if (typeof boundOf(route.schema) !== "function") return;
    const hooks = [route.preHandler ?? []].flat();
    if (!hooks.includes(this.#reserve)) route.preHandler = [...hooks, this.#reserve];
  }

  /** Counts and paces the long answers of all routes. */
  watch(app: Pick<FastifyInstance, "addHook">): void {
    app.addHook("onSend", (request, reply, payload, done) => {
      if (payload instanceof Readable) this.#cutOffStalled(reply);
      if (typeof payload !== "string" || payload.length < LONG_CHARACTERS) return done(null, payload);
      this.#admit(request, reply, payload).then(
        () => done(null, this.#send(reply, payload)),
        (error: Error) => done(error),
      );
    });
  }

  readonly #reserve: preHandlerAsyncHookHandler = async (request, reply) => {
    const bound = boundOf(request.routeOptions.schema);
    const bytes = typeof bound === "function" ? bound(this.#options.config, request) : 0;
    if (bytes === 0) return;
    const answers = this.#options.answersOf(request);
    const room = answers.take(bytes) ?? (await answers.wait(bytes));
    this.#rooms.set(request, room);
    givenBackAtEnd(reply, room);
  };

  async #admit(request: FastifyRequest, reply: FastifyReply, payload: string): Promise<void> {
    const bytes = 2 * payload.length;
    const reserved = this.#rooms.get(request);
    if (reserved !== undefined) {
      reserved.shrink(bytes);
      return;
    }
    const { schema } = request.routeOptions;
    const most = { small: LONG_CHARACTERS, "in-parts": SHORT_CHARACTERS }[String(boundOf(schema))];
    if (most !== undefined && payload.length > most) {
      const about = { requestId: request.id, route: request.routeOptions.url, characters: payload.length };
      this.#options.logger.error(about, "answer is longer than its route states");
    }
    const answers = this.#options.answersOf(request);
    // A write has happened already, so its result is sent even without room.
    const room =
      request.method === "GET" ? await answers.wait(bytes) : answers.hold(bytes, () => void reply.raw.destroy());
    givenBackAtEnd(reply, room);
  }

  #send(reply: FastifyReply, payload: string): unknown {
    const { request } = reply;
    this.#cutOffStalled(reply);
    const bytes = Buffer.from(payload);
    reply.header("content-length", bytes.length);
    return request.method === "HEAD" ? payload : Readable.from(chunksOf(bytes), { objectMode: false });
  }

  #cutOffStalled({ raw, request }: FastifyReply): void {
    const { config, logger } = this.#options;
    // Restarted by each byte that the connection takes.
    raw.setTimeout(config.SSE_STALL_MS, () => {
      const about = { requestId: request.id, route: request.routeOptions.url };
      logger.warn(about, "answer cut off: its reader took nothing for too long");
      raw.destroy();
    });
  }
}

/** When the connection has the whole answer, or is closed. */
function givenBackAtEnd({ raw }: FastifyReply, room: Room): void {
  const giveBack = (): void => room[Symbol.dispose]();
  if (raw.destroyed) return giveBack();
  raw.once("finish", giveBack);
  raw.once("close", giveBack);
}

function* chunksOf(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
