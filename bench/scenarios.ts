import { Client, inParallel, median, percentile } from "./client.ts";

/** The figures of one scenario; names carry the unit. */
export type Figures = Readonly<Record<string, number>>;

/** A server under test: one process, or several whose figures are added. */
export interface MeasuredServer {
  readonly url: string;
  /** Time from its start until its first answer. */
  readonly readyMs: number;
  /** User and system time so far, all threads, in microseconds. */
  cpuMicros(): number;
  residentMegabytes(): number;
}

export interface Scenario {
  readonly name: string;
  /** Runs against a fresh server. */
  readonly measure: (server: MeasuredServer) => Promise<Figures>;
}

const CONNECTIONS = 50;
const TURNS_PER_SESSION = 4;
const DATA_FRAME = Buffer.from("data:");

/** Short turns on short sessions: the cost of a turn without the model. */
export async function shortTurns(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const turns = 8000;
  const sessions = turns / TURNS_PER_SESSION;
  await inParallel(sessions, CONNECTIONS, (index) => client.createSession(`short-${index}`));
  await inParallel(1000, CONNECTIONS, (index) => client.run(`short-${index % sessions}`, "small=1"));
  const cpuBefore = server.cpuMicros();
  const latencies: number[] = [];
  const started = performance.now();
  await inParallel(turns, CONNECTIONS, async (index) => {
    const sent = performance.now();
    await client.run(`short-${index % sessions}`, "small=1");
    latencies.push(performance.now() - sent);
  });
  const seconds = (performance.now() - started) / 1000;
  return {
    "turns/s": turns / seconds,
    "CPU µs/turn": (server.cpuMicros() - cpuBefore) / turns,
    "p50 ms": percentile(latencies, 0.5),
    "p99 ms": percentile(latencies, 0.99),
  };
}

/** Streams of 100 chunks as fast as possible: the cost of an event. */
export async function streams(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const runs = 1000;
  await inParallel(runs, CONNECTIONS, (index) => client.createSession(`stream-${index}`));
  await inParallel(200, CONNECTIONS, (index) => client.runSse(`stream-${index}`, "n=100 s=20"));
  let frames = 0;
  const cpuBefore = server.cpuMicros();
  const started = performance.now();
  await inParallel(runs, CONNECTIONS, (index) =>
    client.runSse(`stream-${index}`, "n=100 s=20", (chunk) => {
      frames += countFrames(chunk);
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  return { "events/s": frames / seconds, "CPU µs/event": (server.cpuMicros() - cpuBefore) / frames };
}

/**
 * 50 streams whose model pauses 10 ms between chunks, begun one after another as by independent users: delay of the
 * first chunk.
 */
export async function pacedStreams(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  // Before that, hot code is still being compiled, in up to three processes, and chunks take twice as long.
  const warmUpRounds = 14;
  const rounds = warmUpRounds + 6;
  const words = "n=50 d=10 s=20";
  await inParallel(rounds * CONNECTIONS, CONNECTIONS, (index) => client.createSession(`paced-${index}`));
  const firsts: number[] = [];
  const person = async (index: number): Promise<void> => {
    // Spread over the half second that a stream lasts.
    await new Promise((resolve) => setTimeout(resolve, index * 11));
    for (let round = 0; round < rounds; round += 1) {
      const sent = performance.now();
      let first: number | undefined;
      await client.runSse(`paced-${round * CONNECTIONS + index}`, words, (chunk) => {
        if (first === undefined && countFrames(chunk) > 0) first = performance.now() - sent;
      });
      if (round >= warmUpRounds) firsts.push(first ?? Number.NaN);
    }
  };
  await inParallel(CONNECTIONS, CONNECTIONS, person);
  return { "first event p50 ms": percentile(firsts, 0.5), "first event p99 ms": percentile(firsts, 0.99) };
}

/** One more turn on a session that has so many events already, all of which the model gets. */
export async function longSessions(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const figures: Record<string, number> = {};
  for (const length of [10, 100, 1000, 5000]) {
    const id = `long-${length}`;
    await client.createSession(id);
    for (let turn = 0; turn < length / 2; turn += 1) await client.run(id, "small=1");
    const times: number[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      const sent = performance.now();
      await client.run(id, "small=1");
      times.push(performance.now() - sent);
    }
    figures[`${length} events ms`] = median(times);
  }
  return figures;
}

/** Memory over turns whose sessions are deleted. */
async function memory(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const sizes: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await inParallel(1000, CONNECTIONS, async (index) => {
      const id = `memory-${round}-${index}`;
      await client.createSession(id);
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) await client.run(id, "small=1");
      await client.deleteSession(id);
    });
    sizes.push(server.residentMegabytes());
  }
  return Object.fromEntries(
    sizes.map((size, round) => [`RSS MB after ${(round + 1) * 1000 * TURNS_PER_SESSION} turns`, size]),
  );
}

async function start(server: MeasuredServer): Promise<Figures> {
  return { "ready ms": server.readyMs, "RSS MB": server.residentMegabytes() };
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "ready after start", measure: start },
  { name: "/run, 50 connections", measure: shortTurns },
  { name: "/run_sse, 50 connections, 100 chunks", measure: streams },
  { name: "/run_sse, 50 paced streams", measure: pacedStreams },
  { name: "a turn on a long session", measure: longSessions },
  { name: "memory, sessions deleted", measure: memory },
];

/**
 * Frames that begin in this chunk. A frame's `data:` may be split between two chunks; at 100 frames a run the error is
 * small.
 */
export function countFrames(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(DATA_FRAME); at !== -1; at = chunk.indexOf(DATA_FRAME, at + DATA_FRAME.length))
    count += 1;
  return count;
}
