import type { Figures } from "./scenarios.ts";

export function printFigures(own: Figures, other: Figures | undefined, otherName = "peer"): void {
  for (const [name, value] of Object.entries(own)) {
    const peerValue = other?.[name];
    const versus =
      peerValue === undefined ? "" : `   ${otherName} ${format(peerValue)}   ratio ${(value / peerValue).toFixed(2)}`;
    process.stdout.write(`  ${name.padEnd(28)} ${format(value)}${versus}\n`);
  }
}

function format(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0).padStart(9);
}
