import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { ProgressBar } from "./progress-bar.ts";

function output(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      written.push(String(chunk));
      done();
    },
  });
  return { written, stream: Object.assign(stream, { isTTY, columns }) };
}

describe("ProgressBar", () => {
  it("draws how many cases are done on one line, and removes it at the end", () => {
    const { written, stream } = output(true);
    const bar = new ProgressBar(stream);
    bar.show({ total: 4, done: 0, failed: 0 });
    bar.show({ total: 4, done: 2, failed: 1 });
    bar[Symbol.dispose]();
    expect(written.map((text) => stripVTControlCharacters(text).trim())).toEqual([
      `${"░".repeat(30)} 0 of 4 cases`,
      `${"█".repeat(15)}${"░".repeat(15)} 2 of 4 cases, 1 not passed`,
      "",
    ]);
    expect(written.join("")).not.toContain("\n");
  });

  it.each([80, 45, 40, 20, 5])("never takes more than one line of %i columns", (columns) => {
    const { written, stream } = output(true, columns);
    new ProgressBar(stream).show({ total: 10_000, done: 9999, failed: 9999 });
    const text = stripVTControlCharacters(written.join("")).replace("\r", "");
    expect(text.length).toBeLessThan(columns);
    expect(text.trim()).not.toBe("");
  });

  it("is drawn on a terminal that reports no width", () => {
    const { written, stream } = output(true, 0);
    new ProgressBar(stream).show({ total: 2, done: 1, failed: 0 });
    expect(stripVTControlCharacters(written.join("")).trim()).toBe(`${"█".repeat(15)}${"░".repeat(15)} 1 of 2 cases`);
  });

  it("writes nothing where there is no terminal", () => {
    const { written, stream } = output(false);
    const bar = new ProgressBar(stream);
    bar.show({ total: 4, done: 1, failed: 0 });
    bar[Symbol.dispose]();
    expect(written).toEqual([]);
  });
});
