import { Client, inParallel, percentile } from "../client.ts";
import { costOf } from "./cost-of.ts";
import { CONNECTIONS, type Figures, type MeasuredServer, TURNS_PER_SESSION } from "./scenario.ts";

/** Short turns on short sessions: the cost of a turn without the model. */
export async function shortTurns(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const turns = 8000;
  const sessions = turns / TURNS_PER_SESSION;
  await inParallel(sessions, CONNECTIONS, (index) => client.createSession(`short-${index}`));
  await inParallel(1000, CONNECTIONS, (index) => client.run(`short-${index % sessions}`, "small=1"));
  const latencies: number[] = [];
  const { seconds, cpuMicros, clientCore } = await costOf(server, () =>
    inParallel(turns, CONNECTIONS, async (index) => {
      latencies.push(await client.timedRun(`short-${index % sessions}`));
    }),
  );
  return {
    "turns/s": turns / seconds,
    "CPU µs/turn": cpuMicros / turns,
    "p50 ms": percentile(latencies, 0.5),
    "p99 ms": percentile(latencies, 0.99),
    "client core %": clientCore,
  };
}
