import type { WebSocket } from "ws";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import { isUnavailable, PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { sleep } from "#kit/platform/sleep.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import { type RelayedEvent, type RelaySink, RunRelay } from "../streams/relay-run.ts";
import { writePieces } from "../streams/write-pieces.ts";
import type { LiveShare } from "./live-account.ts";
import { CLOSE, type Close, closeAfter, closeFor, LOST } from "./live-close.ts";
import { LiveInputs } from "./live-inputs.ts";
import { LiveOutput } from "./live-output.ts";
import type { LivePlace } from "./live-query.ts";
import { LiveSocket, type LiveSocketOptions } from "./live-socket.ts";
import type { LiveStartRequest } from "./start-live.ts";

/** Pauses between two calls of runners; each is twice the one before. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;
/** How long no runner may continue the run. */
const MAX_OUTAGE_MS = 60_000;

export interface LiveCallOptions {
  readonly socket: WebSocket;
  /** The connection below the socket. */
  readonly connection: LiveSocketOptions["connection"];
  /** Counts the bytes that the call keeps; closed when the call ends. */
  readonly share: LiveShare;
  readonly runner: LiveRunnerService;
  /** Decides the run's names and limits. */
  readonly start: () => Promise<LiveStartRequest>;
  readonly answers: AnswerReader;
  /** Where a client begins that can resume its run; undefined for one that cannot. */
  readonly place?: LivePlace | undefined;
  /** Checks a message, and stores its large data, before the runner gets it. */
  readonly admit: (request: LiveRequest) => LiveRequest | Promise<LiveRequest>;
  /** Called with the run once it is recorded. */
  readonly onRun: (run: RunRecord) => void;
}

/**
 * One conversation: the client's messages go to the run's runner, and what the run emits comes back by the same call. The socket stays
 * open when the runner is lost or hands the run over: the next one gets the messages that were not taken. A client that
 * leaves ends the conversation.
 */
export class LiveCall {
  readonly #deps: RouteDeps;
  readonly #options: LiveCallOptions;
  readonly #socket: LiveSocket;
  readonly #inputs: LiveInputs;
  /** Stops the calls of runners: the run has ended, or nothing can continue it. */
  readonly #over = new AbortController();
  /** Aborted when the client has left. */
  readonly #left = new AbortController();
  /** The messages that are being admitted, in their order; undefined for none. */
  #admitting: Promise<void> | undefined;

  constructor(deps: RouteDeps, options: LiveCallOptions) {
    this.#deps = deps;
    this.#options = options;
    const { share } = options;
    this.#inputs = new LiveInputs({
      share,
      onRoom: () => this.#socket.resume(),
      onDrop: (chunks) => deps.countLiveDrops?.("input", chunks),
      onOverflow: () => this.#socket.overflow(),
      first: options.place?.next,
    });
    this.#socket = new LiveSocket(options.socket, {
      clock: deps.clock,
      stallMs: deps.config.SSE_STALL_MS,
      idleMs: deps.config.LIVE_IDLE_MS,
      maxBytes: deps.config.LIVE_MAX_FRAME_BYTES,
      share,
      connection: options.connection,
      onRequest: (request, bytes) => this.#receive(request, bytes),
      onClose: (code) => {
        // The runner waits for a client that can come back.
        if (options.place !== undefined && LOST.has(code)) this.#over.abort();
        else this.#inputs.end();
        this.#left.abort();
      },
    });
  }

  close({ code, reason }: Close): void {
    this.#socket.close(code, reason);
  }

  /** Called at each interval of the heartbeat. */
  beat(): void {
    this.#socket.beat();
  }

  /** Resolves when the run has ended here and the client has left. Never throws. */
  async hold(): Promise<void> {
    let start: LiveStartRequest | undefined;
    try {
      start = await this.#options.start();
      await this.#converse(start);
    } catch (thrown) {
      const error = toPlatformError(thrown);
      const about = { runId: start?.runId, error: thrown };
      if (error.httpStatus >= 500) this.#deps.logger.warn(about, "live run broke off");
      this.close(closeFor(error));
    } finally {
      this.#over.abort();
      this.#options.share.close();
    }
  }

  /** Returns whether the client is to be read on. */
  #receive(request: LiveRequest, bytes: number): boolean {
    const admitted = this.#options.admit(request);
    if (this.#admitting !== undefined || admitted instanceof Promise) this.#addLater(admitted, bytes);
    else this.#inputs.add(admitted, bytes);
    return this.#admitting === undefined && !this.#inputs.isFull;
  }

  #addLater(admitted: LiveRequest | Promise<LiveRequest>, bytes: number): void {
    const before = this.#admitting ?? Promise.resolve();
    const added = Promise.all([admitted, before]).then(
      ([request]) => {
        this.#inputs.add(request, bytes);
        if (this.#admitting !== added) return;
        this.#admitting = undefined;
        if (!this.#inputs.isFull) this.#socket.resume();
      },
      (error: unknown) => this.close(closeFor(toPlatformError(error))),
    );
    this.#admitting = added;
  }

  /** Calls one runner after the other until the run has ended. */
  async #converse(start: LiveStartRequest): Promise<void> {
    const { clock, logger } = this.#deps;
    const { runner, onRun } = this.#options;
    let output: LiveOutput | undefined;
    let pauseMs = FIRST_PAUSE_MS;
    let workedAt = clock.monotonic();
    for (;;) {
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, this.#over.signal]);
      try {
        const inputs = this.#inputs.read(signal);
        const resumes = output !== undefined || start.resumes === true;
        for await (const progress of runner.runLive({ ...start, resumes, inputs, signal })) {
          pauseMs = FIRST_PAUSE_MS;
          workedAt = clock.monotonic();
          if (progress.kind === "worked") {
            if (progress.taken !== undefined) this.#inputs.taken(progress.taken);
            if (progress.entries.length > 0) output?.add(progress.entries);
          } else if (output === undefined) {
            onRun(progress.run);
            output = this.#write(progress.run, start);
          }
        }
        if (this.#over.signal.aborted) return;
        if (output === undefined) throw new PlatformError("INTERNAL", "The runner has recorded no live run.");
        output.finish();
        return void (await output.ended);
      } catch (error) {
        if (this.#over.signal.aborted) return;
        if (!isUnavailable(error) || clock.monotonic() - workedAt > MAX_OUTAGE_MS) throw error;
        logger.info({ runId: start.runId, error }, "the runner of a live run is gone; the next one is asked");
      } finally {
        stop.abort();
      }
      await sleep(pauseMs, this.#over.signal).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /** Writes what the run emits to the socket, and closes it when the run has ended. */
  #write(run: RunRecord, start: LiveStartRequest): LiveOutput {
    const { answers, place } = this.#options;
    const afterSequence = start.resumes === true ? place?.after : undefined;
    const relay = new RunRelay(this.#deps, { run, controller: this.#left, sink: this.#sink(), answers, afterSequence });
    if (place !== undefined) void this.#socket.send(JSON.stringify({ runId: run.runId }));
    const { signal } = this.#left;
    const onDrop = (chunks: number): void => this.#deps.countLiveDrops?.("output", chunks);
    const output = new LiveOutput({ relay, signal, share: this.#options.share, onDrop });
    output.ended.then(
      (end) => {
        // A client that has left ends the run through its messages; its runner is called until then.
        if (end === undefined) return;
        this.close(closeAfter(end));
        this.#over.abort();
      },
      (thrown: unknown) => {
        this.#deps.logger.warn({ runId: run.runId, error: thrown }, "the events of a live run cannot be read");
        this.close(closeFor(toPlatformError(thrown)));
      },
    );
    return output;
  }

  #sink(): RelaySink {
    const socket = this.#socket;
    const isWrapped = this.#options.place !== undefined;
    const deps = { ...this.#deps, answers: this.#options.answers };
    let wait: Promise<void> | undefined;
    return {
      ahead: socket.ahead,
      event: (event) => {
        wait = socket.send(isWrapped ? `${frameStart(event)}${event.json}}` : event.json) ?? wait;
      },
      pieces: async (event, pieces) => {
        if (isWrapped) await socket.write(frameStart(event));
        await writePieces(deps, socket, pieces);
        await socket.send(isWrapped ? "}" : "");
      },
      isFull: () => wait !== undefined,
      flush: () => {
        const waited = wait;
        wait = undefined;
        return waited;
      },
    };
  }
}

function frameStart({ sequence }: RelayedEvent): string {
  return sequence === undefined ? '{"event":' : `{"sequence":${sequence},"event":`;
}

/** The close of a socket whose server is stopped. */
export const RESTARTS: Close = { code: CLOSE.restart, reason: "The server is stopped. Connect again." };

/** The close of a socket whose caller's credentials have ended. */
export const EXPIRED: Close = {
  code: CLOSE.policy,
  reason: "The credentials of this connection are not valid any more. Connect with new ones.",
};
