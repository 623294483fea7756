import { setTimeout as pause } from "node:timers/promises";
import { Client, percentile } from "../client.ts";
import { costOf } from "./cost-of.ts";
import { countFrames } from "./count-frames.ts";
import { CONNECTIONS, type Scenario } from "./scenario.ts";

const WARM_UP_SECONDS = 4;
const MEASURED_SECONDS = 15;
/** The load is too much if turns begin so much later than they should. */
const MAX_OPEN = 400;

/**
 * Streamed turns of 20 chunks, 10 ms apart, that begin at a fixed rate whether earlier ones have ended or not: delay of
 * the first chunk and CPU of a turn at a load.
 */
export function offeredTurns(rate: number): Scenario["measure"] {
  return async (server) => {
    using client = new Client(server.url, Math.max(CONNECTIONS, MAX_OPEN));
    const count = rate * (WARM_UP_SECONDS + MEASURED_SECONDS);
    for (let at = 0; at < count; at += CONNECTIONS)
      await Promise.all(
        Array.from({ length: Math.min(CONNECTIONS, count - at) }, (_, index) =>
          client.createSession(`at-${at + index}`),
        ),
      );
    await offer(client, { rate, from: 0, to: rate * WARM_UP_SECONDS });
    let delays: readonly number[] = [];
    const { seconds, cpuMicros, clientCore } = await costOf(server, async () => {
      delays = await offer(client, { rate, from: rate * WARM_UP_SECONDS, to: count });
    });
    const turns = rate * MEASURED_SECONDS;
    return {
      "turns/s": turns / seconds,
      "CPU µs/turn": cpuMicros / turns,
      "first event p50 ms": percentile([...delays], 0.5),
      "first event p99 ms": percentile([...delays], 0.99),
      "client core %": clientCore,
    };
  };
}

interface Offer {
  readonly rate: number;
  readonly from: number;
  readonly to: number;
}

async function offer(client: Client, { rate, from, to }: Offer): Promise<readonly number[]> {
  const delays: number[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let turn = from; turn < to; turn += 1) {
    const dueAt = startedAt + ((turn - from) * 1000) / rate;
    await pause(Math.max(0, dueAt - performance.now()));
    if (open.size >= MAX_OPEN) await Promise.race(open);
    const running = firstDelay(client, turn)
      .then((delay) => void delays.push(delay))
      .finally(() => open.delete(running));
    open.add(running);
  }
  await Promise.all(open);
  return delays;
}

async function firstDelay(client: Client, turn: number): Promise<number> {
  const sent = performance.now();
  let first: number | undefined;
  await client.runSse(`at-${turn}`, "n=20 d=10 s=20", (chunk) => {
    if (countFrames(chunk) > 0) first ??= performance.now() - sent;
  });
  return first ?? Number.NaN;
}
