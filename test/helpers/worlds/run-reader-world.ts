import type { PlatformError } from "#kit/errors/platform-error.ts";
import type { ChannelListener } from "#ports/runs/reading/channel-listener.ts";
import { ExpectedRun } from "#ports/runs/reading/expected-run.ts";
import { comparePositions, type RunBatch } from "#ports/runs/reading/run-batch.ts";
import type { RunLog, RunLogPage } from "#ports/runs/reading/run-log.ts";
import { RunReader } from "#ports/runs/reading/run-reader.ts";
import type { CursorPosition, EndEntry, EventEntry, PublishedEntry, RunStreamEntry } from "#ports/runs/run-stream.ts";

export function event(n: number, epoch = 1): EventEntry {
  return { kind: "event", epoch, n, eventId: `e-${n}`, json: "{}", partial: true };
}

export function end(n: number): EndEntry {
  return { kind: "end", epoch: 1, n, status: "succeeded" };
}

export function batch(entries: readonly PublishedEntry[], { characters = 100 } = {}): RunBatch {
  const first = entries[0]!;
  const after = { epoch: first.epoch, n: first.n - 1 };
  return { after, isStart: first.n === 1, last: entries.at(-1)!, entries, characters };
}

/** A log whose pages can be delayed, and a channel that sends only the test's messages. */
export class RunWorld {
  readonly kept: RunBatch[] = [];
  readonly listeners = new Set<ChannelListener>();
  readonly reads: (CursorPosition | undefined)[] = [];
  newest: CursorPosition | undefined;
  pageBatches = 100;
  failure: PlatformError | undefined;
  waits = 0;
  /** Whether messages reach listeners that join. */
  isHeard = true;
  /** Runs in each wait of a reader. */
  onWait: (() => void) | undefined;
  /** Runs after a page was taken and before the reader gets it. */
  beforeAnswer: (() => void) | undefined;

  readonly log: RunLog = {
    read: async (after): Promise<RunLogPage> => {
      this.reads.push(after);
      if (this.failure !== undefined) throw this.failure;
      const left = this.kept.filter(({ last }) => after === undefined || comparePositions(last, after) > 0);
      const batches = left.slice(0, this.pageBatches);
      const { newest } = this;
      this.beforeAnswer?.();
      const ended = this.kept.at(-1)?.last.kind === "end";
      return { batches, isFull: batches.length === this.pageBatches, ended, ...(newest !== undefined && { newest }) };
    },
  };

  expectRun(): ExpectedRun {
    const expected = new ExpectedRun((listener) => this.listeners.delete(listener));
    this.listeners.add(expected);
    return expected;
  }

  open(after?: string, signal = new AbortController().signal, expected?: ExpectedRun): RunReader {
    return new RunReader({
      expected,
      join: async (listener) => {
        this.listeners.add(listener);
        // The answer of Redis.
        await Promise.resolve();
        if (this.isHeard) listener.hear(true);
      },
      leave: (listener) => this.listeners.delete(listener),
      log: this.log,
      sleep: async () => {
        this.waits += 1;
        this.failure = undefined;
        this.onWait?.();
      },
      signal,
      ...(after !== undefined && { after }),
    });
  }

  keep(entries: readonly PublishedEntry[], options?: { characters?: number }): RunBatch {
    const added = batch(entries, options);
    this.kept.push(added);
    this.newest = { epoch: added.last.epoch, n: added.last.n };
    return added;
  }

  publish(entries: readonly PublishedEntry[], options?: { characters?: number }): void {
    const added = this.keep(entries, options);
    for (const listener of this.listeners) listener.receive(added);
  }
}

export async function value(next: Promise<IteratorResult<readonly RunStreamEntry[], undefined>>) {
  return (await next).value;
}
