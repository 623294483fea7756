import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";

interface Job {
  readonly steps?: readonly { readonly uses?: string; readonly run?: string; readonly with?: unknown }[];
}

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

it("publishes for a tag only, after its checks and all parts of verify", () => {
  const release = parse(read(".github/workflows/release.yml"));
  expect(release.on).toEqual({ push: { tags: ["v*"] } });
  expect(release.jobs.check.steps.at(-1).run).toBe('node deploy/release/release.ts check "$GITHUB_REF_NAME"');
  expect(release.jobs.verify).toEqual({ needs: "check", uses: "./.github/workflows/verify.yml" });
  expect(parse(read(".github/workflows/verify.yml")).on).toHaveProperty("workflow_call");
  const { image, chart, package: npm, notes } = release.jobs;
  expect([image.needs, chart.needs, npm.needs, notes.needs]).toEqual([
    "verify",
    "image",
    "verify",
    ["chart", "package"],
  ]);
});

it("says in the package where its repository, pages and problems are, before it packs", () => {
  const { steps } = parse(read(".github/workflows/release.yml")).jobs.package;
  const runs: readonly string[] = steps.flatMap(({ run }: { readonly run?: string }) => run ?? []);
  const set = runs.findIndex((run) => run.startsWith("npm pkg set"));
  expect(runs[set]?.match(/(?<=")\w+(?==)/g)).toEqual(["repository", "homepage", "bugs"]);
  expect(set).toBeLessThan(runs.findIndex((run) => run.includes("npm pack")));
});

it("has no step that names a file which is not there, or keeps the token that checks out", () => {
  for (const file of readdirSync(join(REPOSITORY_ROOT, ".github/workflows"))) {
    const steps = Object.values<Job>(parse(read(`.github/workflows/${file}`)).jobs).flatMap(({ steps = [] }) => steps);
    for (const { uses = "", run = "", with: inputs } of steps) {
      for (const [, path = ""] of run.matchAll(/\bnode (\S+\.ts)/g)) expect(read(path), path).not.toBe("");
      if (uses.startsWith("actions/checkout")) expect(inputs).toEqual({ "persist-credentials": false });
    }
  }
});

it("starts from each release of Node that the package supports", () => {
  expect(node).toEqual([22, 24, 26]);
  expect(read("docs/operate/deployment.md") + read("README.md")).toContain("Node 22.16 or newer");
});
