import { setTimeout as pause } from "node:timers/promises";
import { modelContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { Lease, RunError, RunRecord, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { LiveInput, LiveProgress, LiveRunnerService, RunLiveRequest } from "#ports/runs/live-runner-service.ts";
import type { PublishedEntry, RunStream } from "#ports/runs/run-stream.ts";
import { streamName } from "#ports/runs/stream-name.ts";

/** Actions of a script while it executes a live run. */
export interface ScriptedLive {
  /** 1 for the first call of the run. */
  readonly attempt: number;
  readonly request: RunLiveRequest;
  readonly inputs: AsyncIterator<LiveInput>;
  /** Streams a chunk of text. */
  partial(text: string): Promise<void>;
  /** Stores and streams a text. */
  say(text: string): Promise<void>;
  taken(n: number): void;
}

/** Executes the run until it ends; throws as a runner that is lost. */
export type LiveScript = (
  live: ScriptedLive,
) => Promise<{ readonly status: TerminalRunStatus; readonly error?: RunError } | void>;

interface Parts {
  readonly journal: RunJournal;
  readonly runStream: RunStream;
  readonly script: LiveScript;
}

const LEASE_MS = 10_000;

/** Live runs whose agent is a function of the test; runs, events and stream are real. */
export class ScriptedLiveRunner implements LiveRunnerService {
  readonly calls: RunLiveRequest[] = [];
  readonly #parts: Parts;
  #events = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async *runLive(request: RunLiveRequest): AsyncGenerator<LiveProgress, void, undefined> {
    this.calls.push(request);
    const begun = await this.#begin(request);
    yield { kind: "recorded", run: begun.run };
    const progress: LiveProgress[] = [];
    let wake: () => void = () => {};
    let isOver = false;
    const report = (made: LiveProgress): void => {
      progress.push(made);
      wake();
    };
    if (request.resumes === true) report({ kind: "worked", entries: [{ kind: "resync" }] });
    const played = this.#play(request, begun.run, begun.lease, report).finally(() => {
      isOver = true;
      wake();
    });
    played.catch(() => {});
    while (!isOver || progress.length > 0) {
      const next = progress.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await played;
  }

  /** Waits for its turn in the session. */
  async #begin({ runId, session, policy = "enqueue", ...given }: RunLiveRequest) {
    for (;;) {
      const begun = await this.#parts.journal.begin({
        ...{ runId, session, invocationId: `e-${runId}`, request: given.request, policy },
        ...{ holder: "test", leaseMs: LEASE_MS, haveRevision: 0, streamKey: given.streamKey },
      });
      if (begun.kind === "started") return begun;
      await pause(5);
    }
  }

  async #play(
    request: RunLiveRequest,
    run: RunRecord,
    firstLease: Lease,
    report: (made: LiveProgress) => void,
  ): Promise<void> {
    const { journal, runStream, script } = this.#parts;
    let lease = firstLease;
    let n = 0;
    const publish = async (entry: (at: { epoch: number; n: number }) => PublishedEntry): Promise<void> => {
      n += 1;
      const options = { ...streamName(run), session: n === 1 ? run.session : undefined };
      const entries = [entry({ epoch: lease.epoch, n })];
      report({ kind: "worked", entries });
      await runStream.publish(run.runId, entries, options);
    };
    const event = (text: string, partial?: true) => {
      this.#events += 1;
      const { invocationId } = run;
      const id = `event-${this.#events}`;
      return createEvent({ id, invocationId, author: "agent", timestamp: 0, content: modelContent(text), partial });
    };
    if (run.attempts > 1) await publish((at) => ({ kind: "attempt", ...at, attempt: run.attempts }));
    const ending = await script({
      attempt: run.attempts,
      request,
      inputs: request.inputs[Symbol.asyncIterator](),
      partial: (text) => {
        const said = event(text, true);
        return publish((at) => ({
          ...{ kind: "event", ...at, eventId: said.id, json: JSON.stringify(said), partial: true },
        }));
      },
      say: async (text) => {
        const stored = { lease, leaseMs: LEASE_MS, afterRevision: 0, events: [toEventRecord(event(text))] };
        const appended = await journal.append(stored);
        lease = appended.lease;
        for (const { id, json, sequence } of appended.stored)
          await publish((at) => ({ kind: "event", ...at, eventId: id, json, partial: false, sequence }));
      },
      taken: (upTo) => report({ kind: "worked", entries: [], taken: upTo }),
    });
    const { status, error } = ending ?? { status: "succeeded" };
    await journal.finish({ lease, afterRevision: 0, events: [], status, error });
    await publish((at) => ({ kind: "end", ...at, status, error }));
  }
}
