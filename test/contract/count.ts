import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** The part of the test runner's report that is used here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly ancestorTitles: readonly string[] }[];
  }[];
}

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

// node test/contract/count.ts [report.json]: counts the contract tests that each adapter passed, failed and skipped.
// Runs them if no report is given.
const [given] = process.argv.slice(2);
// The form of the test runner's report.
const report = JSON.parse(given === undefined ? await runContracts() : readFileSync(given, "utf8")) as Report;
for (const [adapter, { passed, failed, skipped }] of [...countsOf(report)].sort(([left], [right]) =>
  left < right ? -1 : 1,
))
  process.stdout.write(`${adapter.padEnd(48)} ${passed} passed, ${failed} failed, ${skipped} skipped\n`);

async function runContracts(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "contracts-"));
  const file = join(folder, "report.json");
  try {
    const args = ["node_modules/vitest/vitest.mjs", "run", "--project=contract"];
    const env = { ...process.env, TEST_REPORT_FILE: file };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
    const [code] = await once(child, "close");
    process.exitCode = Number(code);
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countsOf({ testResults }: Report): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  for (const { name, assertionResults } of testResults) {
    if (!name.includes("/test/contract/")) continue;
    for (const { status, ancestorTitles } of assertionResults) {
      // Suites have the adapter's name, some of them below the store that they share.
      const adapter = ancestorTitles.find((title) =>
        /^[A-Z]\w+(?:Service|Store|Stream|Notifications|Journal)\b/.test(title),
      );
      const key = adapter ?? basename(name, ".test.ts");
      const count = counts.get(key) ?? { passed: 0, failed: 0, skipped: 0 };
      counts.set(key, count);
      if (status === "passed") count.passed += 1;
      else if (status === "failed") count.failed += 1;
      else count.skipped += 1;
    }
  }
  return counts;
}
