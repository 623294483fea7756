import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const REVISIONS = ["2026-07-28", "2025-11-25"];
const CLIENT = `node ${fileURLToPath(new URL("client/run-scenario.ts", import.meta.url))}`;

/** Runs npm's conformance suite of the protocol, and reports each scenario; a scenario that fails fails the command. */
function main(): void {
  const listed = suite(["list", "--requirements", "2026-07-28"]);
  if (listed.status !== 0) {
    print(`skipped: ${PACKAGE} cannot be run here: ${listed.stderr.trim().split("\n").at(-1)}`);
    return;
  }
  let passed = 0;
  let total = 0;
  for (const revision of REVISIONS) {
    for (const scenario of clientScenarios(revision)) {
      total += 1;
      const problem = run(scenario, revision);
      if (problem === undefined) passed += 1;
      print(
        `${problem === undefined ? "passed" : "missed"}  ${revision} client ${scenario}${problem === undefined ? "" : `: ${problem}`}`,
      );
      if (problem !== undefined) process.exitCode = 1;
    }
  }
  print(`${passed} of ${total} scenarios passed`);
}

/** The names below the heading of clients. */
function clientScenarios(revision: string): readonly string[] {
  const { stdout } = suite(["list", "--requirements", revision]);
  const [, clients = ""] = stdout.split("Client scenarios");
  const lines = clients.split("\n").slice(1);
  const end = lines.findIndex((line) => !line.startsWith("  - "));
  return lines.slice(0, end === -1 ? undefined : end).map((line) => line.slice("  - ".length).split(" ")[0] ?? "");
}

function run(scenario: string, revision: string): string | undefined {
  const { status, stdout, stderr } = suite([
    "client",
    "--command",
    CLIENT,
    "--scenario",
    scenario,
    "--spec-version",
    revision,
  ]);
  if (status === 0) return undefined;
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => /fail|error/i.test(line));
  return lines.slice(0, 8).join(" | ") || `the suite ended with ${status}`;
}

function suite(args: readonly string[]) {
  return spawnSync("npx", ["--yes", PACKAGE, ...args], { encoding: "utf8" });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main();
