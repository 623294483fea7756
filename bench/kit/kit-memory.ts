import type { KitSubject } from "./kit-subject.ts";

const TURNS_PER_SESSION = 4;
const CHECKPOINTS = [20_000, 60_000, 100_000];

/** MB of live heap after so many turns whose sessions are deleted. Needs `--expose-gc`. */
export async function measureKitMemory(subject: KitSubject): Promise<Readonly<Record<string, number>>> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error("start this process with --expose-gc");
  const figures: Record<string, number> = {};
  let turns = 0;
  for (const checkpoint of CHECKPOINTS) {
    while (turns < checkpoint) {
      const id = `memory-${turns}`;
      await subject.createSession(id, 0);
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) await subject.turn(id, "tools=1", false);
      await subject.deleteSession(id);
      turns += TURNS_PER_SESSION;
    }
    // The second collection frees what finalizers released.
    for (let round = 0; round < 2; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    figures[`heap MB after ${checkpoint} turns`] = process.memoryUsage().heapUsed / 1024 / 1024;
  }
  return figures;
}
