import { setTimeout as pause } from "node:timers/promises";
import { Client, inParallel, percentile } from "../client.ts";
import { costOf } from "./cost-of.ts";
import { countFrames } from "./count-frames.ts";
import { CONNECTIONS, type Figures, type MeasuredServer, type Scenario } from "./scenario.ts";

/**
 * Chunks before the measurement: until then the hot code of a JavaScript server is being compiled, and an event costs
 * up to twice the CPU.
 */
const WARM_UP_CHUNKS = 700;
const MEASURED_CHUNKS = 600;
/** Spreads the users over the half second that a stream lasts. */
const APART_MS = 11;

/**
 * 50 streams of so many chunks whose model pauses 10 ms between them, begun one after another as by independent users:
 * delay of the first chunk, and the cost of an event that comes alone. Each event of a short stream has a larger share of
 * the begin and the end of its run.
 */
export function pacedStreams(chunks: number): Scenario["measure"] {
  return (server) => measurePaced(server, chunks);
}

async function measurePaced(server: MeasuredServer, chunks: number): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const warmUp = Math.ceil(WARM_UP_CHUNKS / chunks);
  const rounds = Math.ceil(MEASURED_CHUNKS / chunks);
  await inParallel((warmUp + rounds) * CONNECTIONS, CONNECTIONS, (index) => client.createSession(`paced-${index}`));
  await watchStreams(client, { chunks, first: 0, count: warmUp });
  const watched: Watched = { firsts: [], frames: 0 };
  const { cpuMicros, clientCore } = await costOf(server, () =>
    watchStreams(client, { chunks, first: warmUp, count: rounds }, watched),
  );
  return {
    "first event p50 ms": percentile(watched.firsts, 0.5),
    "first event p99 ms": percentile(watched.firsts, 0.99),
    "CPU µs/event": cpuMicros / watched.frames,
    "client core %": clientCore,
  };
}

interface Watched {
  /** Delays of first events. */
  readonly firsts: number[];
  frames: number;
}

interface Rounds {
  readonly chunks: number;
  /** The sessions are those of this round and later ones. */
  readonly first: number;
  readonly count: number;
}

/** So many streams of each user, one after another. */
async function watchStreams(
  client: Client,
  { chunks, first: firstRound, count }: Rounds,
  watched: Watched = { firsts: [], frames: 0 },
): Promise<void> {
  const words = `n=${chunks} d=10 s=20`;
  await inParallel(CONNECTIONS, CONNECTIONS, async (user) => {
    await pause(user * APART_MS);
    for (let round = firstRound; round < firstRound + count; round += 1) {
      const sent = performance.now();
      let first: number | undefined;
      await client.runSse(`paced-${round * CONNECTIONS + user}`, words, (chunk) => {
        const frames = countFrames(chunk);
        watched.frames += frames;
        if (frames > 0) first ??= performance.now() - sent;
      });
      watched.firsts.push(first ?? Number.NaN);
    }
  });
}
