import { Client, median } from "../client.ts";
import type { Figures, MeasuredServer } from "./scenario.ts";

/** One more turn on a session that has so many events already, all of which the model gets. */
export async function longSessions(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, 1);
  const figures: Record<string, number> = {};
  for (const length of [10, 100, 1000, 5000]) {
    const id = `long-${length}`;
    await client.createSession(id);
    for (let turn = 0; turn < length / 2; turn += 1) await client.run(id, "small=1");
    const times: number[] = [];
    for (let turn = 0; turn < 30; turn += 1) times.push(await client.timedRun(id));
    figures[`${length} events ms`] = median(times);
  }
  return figures;
}
