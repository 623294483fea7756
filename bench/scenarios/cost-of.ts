import type { MeasuredServer } from "./scenario.ts";

export interface Cost {
  readonly seconds: number;
  /** The server's CPU time. */
  readonly cpuMicros: number;
  /** Share of its core that the client used, in percent. Near 100, rates and delays are the client's own. */
  readonly clientCore: number;
}

/** What the work took. */
export async function costOf(server: MeasuredServer, work: () => Promise<void>): Promise<Cost> {
  const cpuBefore = server.cpuMicros();
  const clientBefore = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const client = process.cpuUsage(clientBefore);
  return {
    seconds: ms / 1000,
    cpuMicros: server.cpuMicros() - cpuBefore,
    clientCore: (client.user + client.system) / (ms * 10),
  };
}
