import { describe, expect, it } from "vitest";
import type { RunSignal, RunSignals } from "#kit/runs/stream/run-signals.ts";

export interface RunSignalsContract {
  /** Two ends of the same pokes, as two processes have them. */
  readonly create: () => Promise<{
    readonly ends: readonly [RunSignals, RunSignals];
    /** Resolves once what is sent from now on reaches every listener that there is. */
    readonly settle: () => Promise<void>;
    readonly dispose: () => Promise<void>;
  }>;
}

/** Collects pokes until there are so many. */
function collect(signals: RunSignals, count: number) {
  const heard: RunSignal[] = [];
  const { promise, resolve } = Promise.withResolvers<readonly RunSignal[]>();
  const subscription = signals.listen((signal) => {
    heard.push(signal);
    if (heard.length === count) resolve(heard);
  });
  return { all: promise, heard, subscription };
}

export function runSignalsContract({ create }: RunSignalsContract): void {
  describe("pokes about runs", () => {
    it("reach every listener, the sender's own too, in the order in which they were sent", async () => {
      const { ends, settle, dispose } = await create();
      const listeners = [collect(ends[0], 4), collect(ends[1], 4)];
      await settle();
      const sent: RunSignal[] = [
        { kind: "cancel", runId: "run 1" },
        { kind: "awaited", runId: "é🎲 with spaces" },
        { kind: "ended", runId: "run 1" },
        { kind: "available", runId: "run 2" },
      ];
      for (const signal of sent) ends[0].send(signal);
      for (const { all } of listeners) expect(await all).toEqual(sent);
      await dispose();
    });

    it("no longer reach a listener that was disposed of", async () => {
      const { ends, settle, dispose } = await create();
      // The one that stays is told by the same end, after the one that leaves.
      const [leaver, stayer] = [collect(ends[0], 1), collect(ends[0], 2)];
      const other = collect(ends[1], 2);
      await settle();
      ends[0].send({ kind: "cancel", runId: "first" });
      await leaver.all;
      leaver.subscription[Symbol.dispose]();
      ends[0].send({ kind: "cancel", runId: "second" });
      await Promise.all([stayer.all, other.all]);
      expect(leaver.heard).toEqual([{ kind: "cancel", runId: "first" }]);
      await dispose();
    });
  });
}
