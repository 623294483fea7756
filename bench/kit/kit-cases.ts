import { setTimeout as pause } from "node:timers/promises";
import type { KitSubject } from "./kit-subject.ts";

/** One kind of turn, on sessions of one length. */
export interface KitCase {
  readonly name: string;
  readonly events: number;
  readonly words: string;
  readonly streaming: boolean;
  /** Number of events that the turn gives: a subject that gives another number does not do the same work. */
  readonly given: number;
}

const CALLS = [0, 1, 8];
const LENGTHS = [10, 5000];
const CHUNKS = 1000;

export const KIT_CASES: readonly KitCase[] = [
  ...LENGTHS.flatMap((events) =>
    CALLS.map((calls) => ({
      name: `${calls} calls, ${events} events`,
      events,
      words: `tools=${calls}`,
      streaming: false,
      given: calls === 0 ? 1 : 3,
    })),
  ),
  { name: `${CHUNKS} chunks, 10 events`, events: 10, words: `chunks=${CHUNKS}`, streaming: true, given: CHUNKS + 1 },
];

/** Enough for the optimizing compiler, and for figures that do not depend on the ends of the measured span. */
const MEASURED_CPU_MICROS = 1_500_000;
const WARM_CPU_MICROS = 1_000_000;
const LEAST_TURNS = 20;
/** Making a long session costs many times what a turn on it costs. */
const MOST_TURNS = { short: 20_000, long: 10_000 };
/** Each session takes one warm and one measured turn, so that its length stays close to that of the case. */
const BATCH = { short: 500, long: 1 };
/** Threads continue to sweep for a while after a collection. */
const SWEEP_MS = 30;
/** A few turns hardly change the length of a long session. */
const TURNS_ON_LONG = 250;

/** CPU time of a turn, all threads of the process, in µs, without the making of sessions. */
export async function measureKitCase(subject: KitSubject, kitCase: KitCase): Promise<number> {
  await spend(subject, kitCase, WARM_CPU_MICROS);
  return spend(subject, kitCase, MEASURED_CPU_MICROS);
}

async function spend(subject: KitSubject, kitCase: KitCase, cpuMicros: number): Promise<number> {
  const isLong = kitCase.events > 1000;
  const turnsEach = isLong ? TURNS_ON_LONG : 1;
  const mostTurns = isLong ? MOST_TURNS.long : MOST_TURNS.short;
  let spent = 0;
  let turns = 0;
  for (let batch = 0; turns < LEAST_TURNS || (spent < cpuMicros && turns < mostTurns); batch += 1) {
    const ids = Array.from({ length: isLong ? BATCH.long : BATCH.short }, (_, index) => `${batch}-${index}`);
    for (const id of ids) {
      await subject.createSession(id, kitCase.events - 2);
      await subject.turn(id, "tools=0", false);
    }
    // Garbage of making the sessions must not be collected during a turn.
    globalThis.gc?.();
    await pause(SWEEP_MS);
    const before = process.cpuUsage();
    for (const id of ids) for (let turn = 0; turn < turnsEach; turn += 1) await runTurn(subject, kitCase, id);
    const { user, system } = process.cpuUsage(before);
    spent += user + system;
    turns += ids.length * turnsEach;
    for (const id of ids) await subject.deleteSession(id);
  }
  return spent / turns;
}

async function runTurn(subject: KitSubject, { words, streaming, given }: KitCase, id: string): Promise<void> {
  const count = await subject.turn(id, words, streaming);
  if (count !== given) throw new Error(`A turn of "${words}" gave ${count} events instead of ${given}.`);
}
