import type { FastifyReply } from "fastify";
import type { JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import { answersOf } from "./answers-of.ts";
import { errorFrame, FrameBuffer, namedFrame } from "./frames.ts";
import type { Pausable } from "./paced-response.ts";
import type { ReaderSink, SessionReader } from "./session-reader.ts";
import { DATA, SseStream } from "./sse.ts";
import { writePieces } from "./write-pieces.ts";

type StreamDeps = Pick<RouteDeps, "config" | "logger" | "clock" | "artifactService" | "answers">;

/** The open streams of sessions. They do not end by themselves; closing the server ends them. */
export type OpenStreams = Set<SessionStream>;

/**
 * Answers a request with the events of all runs of a session, until the session is deleted, the client leaves or the
 * server stops. It owns the response's stream and its reader.
 */
export class SessionStream implements ReaderSink {
  readonly #deps: StreamDeps;
  readonly #reader: SessionReader;
  readonly #open: OpenStreams;
  readonly #stream: SseStream;
  readonly #frames: FrameBuffer;
  readonly answers: AnswerReader;

  constructor(deps: StreamDeps, reply: FastifyReply, reader: SessionReader, open: OpenStreams) {
    this.#deps = deps;
    this.#reader = reader;
    this.#open = open;
    open.add(this);
    const { config } = deps;
    this.answers = answersOf(deps, reply.request);
    this.#stream = new SseStream(reply, {
      answers: this.answers,
      heartbeatMs: config.SSE_HEARTBEAT_MS,
      stallMs: config.SSE_STALL_MS,
      headers: {},
      onGone: (why) => this.#leave(why),
    });
    this.#frames = new FrameBuffer(this.#stream);
  }

  /** Ends the stream with a frame that asks the client to reconnect, which leads it to another gateway. */
  async reconnect(): Promise<void> {
    this.#stop();
    await this.#end(namedFrame("reconnect", {}));
  }

  event(json: string, cursor: string): void {
    this.#frames.add(`data: ${json}\nid: ${cursor}\n\n`);
  }

  async pieces(pieces: readonly JsonPiece[], cursor: string): Promise<void> {
    await this.#frames.flush();
    const deps = { artifactService: this.#deps.artifactService, answers: this.answers };
    await writePieces(deps, this.#stream, [DATA, ...pieces, `\nid: ${cursor}\n\n`]);
  }

  get ahead(): Set<Pausable> {
    return this.#stream.ahead;
  }

  run({ runId, status }: Parameters<ReaderSink["run"]>[0]): void {
    this.#frames.add(namedFrame("run", { runId, status }));
  }

  attempt(attempt: number): void {
    this.#frames.add(namedFrame("attempt", { attempt }));
  }

  resync(): void {
    this.#frames.add(namedFrame("resync", {}));
  }

  isFull(): boolean {
    return this.#frames.isFull;
  }

  flush(): Promise<void> | undefined {
    return this.#frames.flush();
  }

  /** The response's head is sent, so the error is a frame of the stream. */
  fail(thrown: unknown): void {
    const { logger, clock } = this.#deps;
    const error = toPlatformError(thrown);
    if (error.httpStatus >= 500) logger.error({ sessionId: this.#reader.session.id, error: thrown }, "stream failed");
    this.#open.delete(this);
    void this.#end(errorFrame(error, clock.now()) + namedFrame("end", { reason: error.reason }));
  }

  async #end(lastFrames: string): Promise<void> {
    await this.#frames.flush();
    this.#stream.endWith(lastFrames);
  }

  #stop(): void {
    this.#reader.stop();
    this.#open.delete(this);
  }

  #leave(why: "left" | "stalled"): void {
    this.#stop();
    if (why === "stalled")
      this.#deps.logger.warn(
        { sessionId: this.#reader.session.id },
        "stream cut off: its reader took nothing for too long",
      );
  }
}
