import { fileURLToPath } from "node:url";
import { CHECKS } from "./server/not-applicable.ts";
import { runServerScenario, startServer, whyNotApplicable } from "./server/server-scenarios.ts";
import { PACKAGE, scenarioNames, suite } from "./suite.ts";

const REVISIONS = ["2026-07-28", "2025-11-25"];
const CLIENT = `node ${fileURLToPath(new URL("client/run-scenario.ts", import.meta.url))}`;

/**
 * Runs npm's conformance suite of the protocol, and reports each scenario; a scenario that fails fails the command.
 * Arguments choose scenarios by their names; none means all.
 */
async function main(chosen: readonly string[]): Promise<void> {
  const listed = suite(["list", "--requirements", "2026-07-28"]);
  if (listed.status !== 0) {
    print(`skipped: ${PACKAGE} cannot be run here: ${listed.stderr.trim().split("\n").at(-1)}`);
    return;
  }
  await using server = await startServer();
  const outcomes: boolean[] = [];
  const report = (title: string, problem: string | undefined): void => {
    outcomes.push(problem === undefined);
    print(problem === undefined ? `passed  ${title}` : `missed  ${title}: ${problem}`);
  };
  const left: string[] = [];
  for (const revision of REVISIONS) {
    const names = (side: "Client" | "Server") =>
      scenarioNames(revision, side).filter((name) => chosen.length === 0 || chosen.includes(name));
    for (const scenario of names("Client")) report(`${revision} client ${scenario}`, runClient(scenario, revision));
    for (const scenario of names("Server")) {
      const title = `${revision} server ${scenario}`;
      const reason = whyNotApplicable(revision, scenario);
      if (reason === undefined) report(title, runServerScenario(server.url, revision, scenario));
      else left.push(`${title}: ${reason}`);
    }
  }
  for (const line of left) print(`does not apply  ${line}`);
  for (const [check, reason] of CHECKS) print(`does not apply  check ${check}: ${reason}`);
  const passed = outcomes.filter(Boolean).length;
  if (passed < outcomes.length) process.exitCode = 1;
  print(`${passed} of ${outcomes.length} scenarios passed`);
}

function runClient(scenario: string, revision: string): string | undefined {
  const choice = ["--scenario", scenario, "--spec-version", revision];
  const { status, stdout, stderr } = suite(["client", "--command", CLIENT, ...choice]);
  if (status === 0) return undefined;
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => /fail|error/i.test(line));
  return lines.slice(0, 8).join(" | ") || `the suite ended with ${status}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main(process.argv.slice(2));
