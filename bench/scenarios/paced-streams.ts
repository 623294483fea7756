import { setTimeout as pause } from "node:timers/promises";
import { Client, inParallel, percentile } from "../client.ts";
import { costOf } from "./cost-of.ts";
import { countFrames } from "./count-frames.ts";
import { CONNECTIONS, type Figures, type MeasuredServer } from "./scenario.ts";

/** Until then hot code of a JavaScript server is still being compiled, and an event costs up to twice the CPU. */
const WARM_UP_ROUNDS = 14;
const ROUNDS = 12;
const WORDS = "n=50 d=10 s=20";
/** Spreads the users over the half second that a stream lasts. */
const APART_MS = 11;

/**
 * 50 streams whose model pauses 10 ms between chunks, begun one after another as by independent users: delay of the
 * first chunk, and the cost of an event that comes alone.
 */
export async function pacedStreams(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, CONNECTIONS);
  const sessions = WARM_UP_ROUNDS + ROUNDS;
  await inParallel(sessions * CONNECTIONS, CONNECTIONS, (index) => client.createSession(`paced-${index}`));
  await watchStreams(client, 0, WARM_UP_ROUNDS);
  const watched: Watched = { firsts: [], frames: 0 };
  const { cpuMicros, clientCore } = await costOf(server, () => watchStreams(client, WARM_UP_ROUNDS, ROUNDS, watched));
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

/** So many streams of each user, one after another, on sessions from this round on. */
async function watchStreams(
  client: Client,
  firstRound: number,
  rounds: number,
  watched: Watched = { firsts: [], frames: 0 },
): Promise<void> {
  await inParallel(CONNECTIONS, CONNECTIONS, async (user) => {
    await pause(user * APART_MS);
    for (let round = firstRound; round < firstRound + rounds; round += 1) {
      const sent = performance.now();
      let first: number | undefined;
      await client.runSse(`paced-${round * CONNECTIONS + user}`, WORDS, (chunk) => {
        const frames = countFrames(chunk);
        watched.frames += frames;
        if (frames > 0) first ??= performance.now() - sent;
      });
      watched.firsts.push(first ?? Number.NaN);
    }
  });
}
