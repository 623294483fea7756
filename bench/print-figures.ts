import type { Figures } from "./scenarios/scenario.ts";

/** One line a figure, with those of the others and the ratio to each. */
export function printFigures(own: Figures, others: ReadonlyMap<string, Figures> = new Map()): void {
  for (const [name, value] of Object.entries(own)) {
    const versus = [...others].map(([other, figures]) => {
      const theirs = figures[name];
      return theirs === undefined ? "" : `   ${other} ${format(theirs)}   ratio ${(value / theirs).toFixed(2)}`;
    });
    process.stdout.write(`  ${name.padEnd(28)} ${format(value)}${versus.join("")}\n`);
  }
}

function format(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0).padStart(9);
}
