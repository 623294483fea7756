import { setTimeout as pause } from "node:timers/promises";
import type { RunSignal, RunSignals } from "#kit/runner/run-signals.ts";

/** How long to wait before looking again at a run ahead that another process executes: longer each time, up to the last. */
const FIRST_LOOK_MS = 50;
const MAX_LOOK_MS = 1000;
/** Without pokes a turn is only found by looking. */
const LOOK_UNTOLD_MS = 100;

/** Runs that other runners execute: they are told what happens here, and tell what this one waits for. */
export class RemoteRuns implements Disposable {
  readonly #signals: RunSignals;
  readonly #subscription: Disposable;
  /** Those who wait for the end of a run. */
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  constructor(signals: RunSignals, hear: (signal: RunSignal) => void) {
    this.#signals = signals;
    this.#subscription = signals.listen((signal) => {
      if (signal.kind === "ended") this.#waiting.get(signal.runId)?.resolve();
      else hear(signal);
    });
  }

  send(kind: RunSignal["kind"], runId: string): void {
    this.#signals.send({ kind, runId });
  }

  /** Resolves when the run's end is told, or when it is time to look oneself. */
  async ended(runId: string, lookAfterMs: number): Promise<void> {
    const told = this.#waiting.get(runId) ?? Promise.withResolvers<void>();
    this.#waiting.set(runId, told);
    this.send("awaited", runId);
    const impatience = new AbortController();
    const look = pause(lookAfterMs, undefined, { ref: false, signal: impatience.signal }).catch(() => {});
    await Promise.race([told.promise, look]);
    impatience.abort();
    if (this.#waiting.get(runId) === told) this.#waiting.delete(runId);
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }
}

/** Waits for the end of a run that is not this process's; `looks` is how often that was in vain. */
export async function untilEnded(remote: RemoteRuns | undefined, runId: string, looks: number): Promise<void> {
  if (remote === undefined) await pause(LOOK_UNTOLD_MS, undefined, { ref: false });
  else await remote.ended(runId, Math.min(FIRST_LOOK_MS * 2 ** Math.min(looks, 10), MAX_LOOK_MS));
}
