import { Client, median } from "../client.ts";
import type { Figures, MeasuredServer } from "./scenario.ts";

const TURNS = 1000;
/** How many of the last turns count as warm. */
const WARM_TURNS = 300;

/** The first turns after the start, one after another, beside later ones. */
export async function firstTurns(server: MeasuredServer): Promise<Figures> {
  using client = new Client(server.url, 1);
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const id = `first-${turn}`;
    await client.createSession(id);
    times.push(await client.timedRun(id));
  }
  const [first = Number.NaN, second = Number.NaN] = times;
  const warm = median(times.slice(-WARM_TURNS));
  return {
    "1st turn ms": first,
    "2nd turn ms": second,
    "10th turn ms": times[9] ?? Number.NaN,
    "warm turn ms": warm,
    "1st over warm": first / warm,
  };
}
