import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

const read = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), "utf8");
const landing = read("docs/site/landing.md");

it("has the figures that the benchmarks have stored", () => {
  const floor = JSON.parse(read("bench/floor/floor.json"));
  const kilobytes = (name: string): number => Math.round(floor[`${name}: bytes allocated`] / 1000);
  expect(landing).toContain(`${floor["/run: reads and writes"]} reads and writes`);
  expect(landing).toContain(
    `allocates ${kilobytes("/run")} KB; a chunk more of a stream allocates ${kilobytes("a chunk")} KB`,
  );
  const [, postgres, , sqlite] = /\| begin, append and end of a run \| (.*) \| (.*) \| (.*) \|/.exec(
    read("docs/operate/postgres.md"),
  ) ?? ["", "", "", ""];
  expect(landing).toContain(`${sqlite} in SQLite and ${postgres} in Postgres`);
});

it("names the limits of the client's bundle", () => {
  const test = read("client/bundle.test.ts");
  expect(test).toContain("in at most 23 KB, 9 KB compressed");
  expect(landing).toContain("has 23 KB, 9 KB compressed");
});
