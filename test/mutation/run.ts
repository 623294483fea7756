import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { formatReport, type MutantResult } from "./format-report.ts";
import { testsOf } from "./tests-of.ts";

/**
 * Plants faults in one folder or file, one at a time, and runs the tests that reach each of them: `npm run
 * test:mutation -- kit/flow`. Prints the number of detected faults by file, and names those that were not detected.
 * Exits with 1 if less than `--at-least=85` per cent were detected.
 */
async function main(args: readonly string[]): Promise<void> {
  const [target] = args.filter((arg) => !arg.startsWith("--"));
  const atLeast = Number(option(args, "at-least") ?? 85);
  const concurrency = Number(option(args, "concurrency") ?? 0);
  if (target === undefined || !Number.isFinite(atLeast) || !Number.isInteger(concurrency)) {
    process.stderr.write(
      "Name a folder or file: npm run test:mutation -- kit/flow [--at-least=85] [--concurrency=1] [--tests=kit/flow/*.test.ts]\n",
    );
    process.exitCode = 2;
    return;
  }
  const isFile = target.endsWith(".ts");
  const folder = (isFile ? target.slice(0, target.lastIndexOf("/")) : target).replace(/\/$/, "");
  process.chdir(REPOSITORY_ROOT);
  process.env["MUTATION_TESTS"] = option(args, "tests") ?? testsOf(folder).join(",");
  const results = await plantFaults(isFile ? [target] : [`${folder}/**/*.ts`, `!${folder}/**/*.test.ts`], concurrency);
  const { text, score } = formatReport(results, REPOSITORY_ROOT);
  process.stdout.write(text);
  process.exitCode = score >= atLeast ? 0 : 1;
}

async function plantFaults(mutate: string[], concurrency: number): Promise<readonly MutantResult[]> {
  const copies = mkdtempSync(join(tmpdir(), "mutation-"));
  try {
    return await new Stryker({
      mutate,
      testRunner: "vitest",
      plugins: ["@stryker-mutator/vitest-runner"],
      vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
      ...(concurrency > 0 ? { concurrency } : {}),
      coverageAnalysis: "perTest",
      // Texts of errors and logs are not behaviour; the linter and types check the form of literals.
      mutator: { excludedMutations: ["StringLiteral", "ObjectLiteral", "ArrayDeclaration", "Regex"] },
      ignoreStatic: true,
      ignorePatterns: ["/.dev-ui", "/.data", "/bench", "/charts", "/docs", "/coverage"],
      tempDirName: copies,
      // Stryker reads the file with TypeScript's own module, which the native compiler does not have.
      tsconfigFile: "none.json",
      reporters: ["progress-append-only"],
      allowConsoleColors: false,
      timeoutMS: 10_000,
      // All tests run once in one worker, which records the code that each of them reaches.
      dryRunTimeoutMinutes: 30,
      allowEmpty: false,
    }).runMutationTest();
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

function option(args: readonly string[], name: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

await main(process.argv.slice(2));
