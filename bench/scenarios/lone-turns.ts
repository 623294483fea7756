import { Client, inParallel, median } from "../client.ts";
import { costOf } from "./cost-of.ts";
import { syncMillis } from "./disk-sync.ts";
import { type Figures, type MeasuredServer, TURNS_PER_SESSION } from "./scenario.ts";

const WARM_UP_TURNS = 1000;
const TURNS = 3000;

/**
 * Short turns, one after another: a commit has no other turns to share its sync with. `p50` can be read as a multiple
 * of the time that the disk needs for one sync.
 */
export async function loneTurns(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, 1);
  const turns = WARM_UP_TURNS + TURNS;
  await inParallel(turns / TURNS_PER_SESSION, 1, (index) => client.createSession(`lone-${index}`));
  const turn = (index: number): Promise<number> => client.timedRun(`lone-${Math.floor(index / TURNS_PER_SESSION)}`);
  for (let index = 0; index < WARM_UP_TURNS; index += 1) await turn(index);
  // Before and after, because the disk's speed changes with the load of others.
  const syncs = server.dataFolder === undefined ? [] : syncMillis(server.dataFolder);
  const latencies: number[] = [];
  const { cpuMicros } = await costOf(server, async () => {
    for (let index = WARM_UP_TURNS; index < turns; index += 1) latencies.push(await turn(index));
  });
  const p50 = median(latencies);
  const figures = { "CPU µs/turn": cpuMicros / TURNS, "p50 ms": p50 };
  if (server.dataFolder === undefined) return figures;
  const sync = median([...syncs, ...syncMillis(server.dataFolder)]);
  return { ...figures, "sync of the disk ms": sync, "p50 in syncs": p50 / sync };
}
