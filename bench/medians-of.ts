import { median } from "./client.ts";
import type { Figures } from "./scenarios/scenario.ts";

/** Each figure's median over the rounds. */
export function mediansOf(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((figures) => figures[name] ?? Number.NaN))]));
}
