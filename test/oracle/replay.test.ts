import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Difference, ListedDifference, NotReached } from "./difference.ts";
import { DIFFERENCES } from "./differences/all-differences.ts";
import { judge } from "./judge.ts";
import { NOT_REACHED } from "./not-reached.ts";
import { readProfiles, replay, type Serve, serveProcess } from "./replay.ts";
import { servePlatform } from "./serve-platform.ts";

const REPLAY_TIMEOUT_MS = 300_000;

/** One process; with REPLAY_PLATFORM set, the six services as processes as well, which need Redis. */
const SERVERS: readonly (readonly [string, Serve])[] = [
  ["one process", serveProcess],
  ...(process.env["REPLAY_PLATFORM"] === undefined ? [] : [["six processes", servePlatform] as const]),
];

const given = process.env["REPLAY_DIR"] ?? "";
const folder = given === "" ? "" : resolve(given);
const whyNot = skipReason(folder);
if (whyNot !== undefined) process.stderr.write(`The replay of recorded exchanges is skipped: ${whyNot}\n`);

describe.skipIf(whyNot !== undefined)("recorded exchanges of another server of the family", () => {
  it.each(SERVERS)("differ from the answers of %s only as listed", { timeout: REPLAY_TIMEOUT_MS }, async (_, serve) => {
    const profiles = await readProfiles(folder);
    const differences: Difference[] = [];
    for (const profile of profiles.keys()) differences.push(...(await replay(serve, folder, profile)));
    const { unlisted, idle, reached } = judge(differences, DIFFERENCES, NOT_REACHED);
    const scenarios = new Set([...profiles.values()].flat());
    expect({
      unlisted: unlisted.map(describeDifference),
      idle: idle.map(describeEntry),
      reached: reached.map(describeNotReached),
      unknownScenarios: NOT_REACHED.map(({ scenario }) => scenario).filter((name) => !scenarios.has(name)),
    }).toEqual({ unlisted: [], idle: [], reached: [], unknownScenarios: [] });
  });
});

function skipReason(path: string): string | undefined {
  if (path === "") return "REPLAY_DIR is not set. Set it to the folder of the recordings.";
  return existsSync(join(path, "oracle.mjs")) ? undefined : `REPLAY_DIR is ${path}, which holds no recordings.`;
}

function describeDifference({ scenario, step, cls, path, expected, actual }: Difference): string {
  return `${scenario} / ${step}: ${cls} at ${path}, recorded ${expected ?? "nothing"}, here ${actual ?? "nothing"}`;
}

function describeEntry({ scenarios, steps, path, reason }: ListedDifference): string {
  return `${String(scenarios)} / ${String(steps ?? "any step")}: ${path} (${reason})`;
}

function describeNotReached({ scenario, steps, path, missing }: NotReached): string {
  return `${scenario} / ${String(steps ?? "all steps")} ${path ?? ""} agrees now, though it says: ${missing}`;
}
