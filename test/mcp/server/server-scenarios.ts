import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { suite } from "../suite.ts";
import { CHECKS, SCENARIOS } from "./not-applicable.ts";

const SERVE = fileURLToPath(new URL("serve.ts", import.meta.url));

/** The process of the server under test, and where it listens. */
export async function startServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const child = spawn(process.execPath, [SERVE], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const [url] = await Promise.race([once(lines, "line"), ended.then(() => [])]);
  if (typeof url !== "string") throw new Error("The server under test has ended before it listened.");
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Why the scenario cannot apply to agents as tools. Undefined if it applies. */
export function whyNotApplicable(revision: string, scenario: string): string | undefined {
  return SCENARIOS.get(scenario) ?? SCENARIOS.get(`${revision} ${scenario}`);
}

/** The failed checks, warnings too, and those that have not failed though they cannot apply. Undefined if there are none. */
export function runServerScenario(url: string, revision: string, scenario: string): string | undefined {
  const { stdout, stderr } = suite(["server", "--url", url, "--scenario", scenario, "--spec-version", revision]);
  const checks = stdout.split("\n").flatMap((line) => {
    const [, id, outcome] = line.match(/^\S+ \[(\S+) *\] (SUCCESS|FAILURE|WARNING) /) ?? [];
    return id === undefined || outcome === undefined ? [] : [{ id, isMet: outcome === "SUCCESS" }];
  });
  if (!checks.some(({ id, isMet }) => isMet && id !== WIRE_CHECK)) return stderr.trim() || "no check has passed";
  const problems = checks.flatMap(({ id, isMet }) => {
    if (CHECKS.has(id)) return isMet ? [`${id} passes, and is listed as not applicable`] : [];
    return isMet ? [] : [id];
  });
  return problems.length === 0 ? undefined : problems.join(", ");
}

/** The form of messages is part of every scenario. */
const WIRE_CHECK = "wire-schema-valid";
