import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

const read = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), "utf8");
const { jobs } = parse(read(".github/workflows/verify.yml"));
const { node, part } = jobs.verify.strategy.matrix;

it("runs every part of verify on a pull request, and the tests whole", () => {
  const { scripts } = JSON.parse(read("package.json"));
  const parts: readonly string[] = part.map((one: string) => one.replace(/ -- --shard=.*/, "").replace(/^npx /, ""));
  expect([...new Set(parts)].sort()).toEqual(scripts.verify.split(" && ").sort());
  const shards = part.flatMap((one: string) => one.match(/--shard=.*/) ?? []);
  expect(shards).toEqual(shards.map((_: string, index: number) => `--shard=${index + 1}/${shards.length}`));
});

it("starts from each release of Node that the package supports", () => {
  expect(node).toEqual([22, 24, 26]);
  expect(read("docs/operate/deployment.md") + read("README.md")).toContain("Node 22.16 or newer");
});
