import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { faultOutcomes } from "./fault-outcomes.ts";
import { formatReport } from "./format-report.ts";
import { plantFaults, sampleOf } from "./plant-faults.ts";
import { runTests } from "./run-tests.ts";
import { testsOf } from "./tests-of.ts";

/**
 * Plants faults in one folder or file and runs the tests that reach each of them, one fault at a time: `npm run
 * test:mutation -- kit/plugins`. Prints the number of detected faults by file, and names those that were not
 * detected. Exits with 1 if less than `--at-least=85` per cent were detected. `--sample=200` plants only so many of
 * them, chosen at random with a fixed seed: a large folder takes hours. Tests that take longer than 400 ms or
 * fail without a fault are not repeated with faults: they are named, and what only they reach counts as not detected.
 * Faults in code that only runs while a module is loaded, or in beforeAll, are not counted.
 */
async function main(args: readonly string[]): Promise<void> {
  const [target] = args.filter((arg) => !arg.startsWith("--"));
  const atLeast = Number(option(args, "at-least") ?? 85);
  const sample = Number(option(args, "sample") ?? Number.MAX_SAFE_INTEGER);
  if (target === undefined || !Number.isFinite(atLeast) || !(sample > 0)) {
    process.stderr.write(
      "Name a folder or file: npm run test:mutation -- kit/plugins [--at-least=85] [--sample=200] [--tests=kit/plugins/*.test.ts]\n",
    );
    process.exitCode = 2;
    return;
  }
  const path = target.replace(/\/$/, "");
  const folder = path.endsWith(".ts") ? path.slice(0, path.lastIndexOf("/")) : path;
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "mutation-")));
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const planted = await plantFaults(REPOSITORY_ROOT, copy, path);
  const mutants = sampleOf(planted, sample);
  print(`${mutants.length} of ${planted.length} faults in ${path}`);
  const tests = option(args, "tests")?.split(",") ?? testsOf(folder);
  const progress = await runTests({ copy, tests, faults: mutants.map(({ id }) => id), print });
  for (const { title, reason } of progress.unused.values()) print(`not used: ${title} (${reason})`);
  const { text, score } = formatReport(faultOutcomes(mutants, progress), copy);
  process.stdout.write(text);
  process.exitCode = score >= atLeast ? 0 : 1;
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}

function option(args: readonly string[], name: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

await main(process.argv.slice(2));
