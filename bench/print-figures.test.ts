import { expect, it, vi } from "vitest";
import { printFigures } from "./print-figures.ts";

it("prints each figure with those of the others that have it, and the ratio to each", () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    printFigures(
      { "turns/s": 200, "sync ms": 0.5 },
      new Map([
        ["go", { "turns/s": 400 }],
        ["js", { "turns/s": 100 }],
      ]),
    );
  } finally {
    write.mockRestore();
  }
  expect(lines.map((line) => line.trim().split(/\s{2,}/))).toEqual([
    ["turns/s", "200", "go", "400", "ratio 0.50", "js", "100", "ratio 2.00"],
    ["sync ms", "0.50"],
  ]);
});
