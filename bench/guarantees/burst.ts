import { Client, percentile } from "../client.ts";
import type { Figures, MeasuredServer } from "../scenarios/scenario.ts";

const BURSTS = 10;
const PEOPLE = 5;
const LEAST_TURNS_ALONE = 500;

/**
 * Latency of short turns of other users, alone and while one run after another streams 20,000 chunks as fast as it can.
 */
export async function burst(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, PEOPLE);
  using bursting = new Client(server.url, 1);
  for (let person = 0; person < PEOPLE; person += 1) await client.createSession(`person-${person}`);
  await bursting.createSession("burst");
  await turnsUntil(client, (turns) => turns >= LEAST_TURNS_ALONE);
  const alone = await turnsUntil(client, (turns) => turns >= LEAST_TURNS_ALONE);
  let isOver = false;
  const bursts = async (): Promise<void> => {
    try {
      for (let count = 0; count < BURSTS; count += 1) await bursting.runSse("burst", "n=20000 s=20");
    } finally {
      isOver = true;
    }
  };
  const [beside] = await Promise.all([turnsUntil(client, () => isOver), bursts()]);
  const p99 = percentile(beside, 0.99);
  const p99Alone = percentile(alone, 0.99);
  return { "p99 alone ms": p99Alone, "p99 beside ms": p99, "more at p99 ms": p99 - p99Alone };
}

/** Latencies of turns that users take one after another. */
async function turnsUntil(client: Client, isOver: (turns: number) => boolean): Promise<readonly number[]> {
  const latencies: number[] = [];
  const person = async (id: string): Promise<void> => {
    while (!isOver(latencies.length)) {
      const sent = performance.now();
      await client.run(id, "small=1");
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: PEOPLE }, (_, index) => person(`person-${index}`)));
  return latencies;
}
