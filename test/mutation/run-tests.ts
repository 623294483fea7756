import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Progress, ProgressLog } from "./progress.ts";

export interface TestRunOptions {
  /** The folder with the instrumented code. */
  readonly copy: string;
  /** Globs of the tests, those first that notice most. */
  readonly tests: readonly string[];
  /** The ids of the faults to try. */
  readonly faults: readonly string[];
  /** Prints a line. */
  readonly print: (line: string) => void;
}

type ProcessEnd = "finished" | "restart" | "hung";

// Quick tests notice most faults; slower ones are repeated only with the faults that are left.
const PASSES_MAX_TEST_MS = [15, 60, 400];

const LOOK_EVERY_MS = 200;
const PRINT_EVERY_MS = 30_000;
// A hook of vitest may take 10 s.
const HUNG_WITH_FAULT_MS = 15_000;
// Time to load all tests on a busy machine.
const HUNG_ELSEWHERE_MS = 120_000;
const MAX_HUNG_ELSEWHERE = 5;

/**
 * Runs the tests against all planted faults in one vitest process after another, and ends each of them: when it has
 * finished its pass, when it asks for a new process because a fault changed its state, and when it hangs. A fault
 * that hangs the process is noticed. Each process continues from the log of those before it.
 */
export async function runTests(options: TestRunOptions): Promise<Progress> {
  const file = join(options.copy, "mutation.log.jsonl");
  const faultsFile = join(options.copy, "mutation.faults.json");
  writeFileSync(faultsFile, JSON.stringify(options.faults));
  const log = new ProgressLog(file);
  let hungElsewhere = 0;
  for (const maxTestMs of PASSES_MAX_TEST_MS) {
    for (;;) {
      const vitest = startVitest(options, {
        ...{ MUTATION_LOG: file, MUTATION_FAULTS: faultsFile, MUTATION_MAX_TEST_MS: String(maxTestMs) },
      });
      const end = await watch(vitest.child, log, options.print);
      if (end === "finished") {
        if (vitest.child.exitCode !== 0) options.print(vitest.output());
        break;
      }
      if (end === "restart") continue;
      const { last } = log.progress;
      if (last?.kind === "started") recordHang(file, last);
      else if (++hungElsewhere > MAX_HUNG_ELSEWHERE) throw new Error(`The tests hang: ${vitest.output()}`);
    }
    if (log.progress.finishedTests + log.progress.unused.size === 0) throw new Error("No test ran.");
    options.print(`tests of up to ${maxTestMs} ms: ${log.progress.noticed.size} faults noticed`);
  }
  return log.progress;
}

function recordHang(file: string, { fault, test }: { readonly fault: string; readonly test: string }): void {
  new ProgressLog(file).append({ kind: "noticed", fault, test, how: "Timeout" });
}

function startVitest({ copy, tests }: TestRunOptions, settings: Record<string, string>) {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/mutation/vitest.config.ts"];
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, ...settings, MUTATION_TESTS: tests.join(",") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-4000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  return { child, output: () => output };
}

async function watch(child: ChildProcess, log: ProgressLog, print: (line: string) => void): Promise<ProcessEnd> {
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    let changedAt = performance.now();
    let printedAt = changedAt;
    while (child.exitCode === null && child.signalCode === null) {
      await Promise.race([exited, wait(LOOK_EVERY_MS)]);
      const now = performance.now();
      if (log.follow() > 0) {
        if (log.progress.last?.kind === "restart") return "restart";
        changedAt = now;
      }
      const isFaulty = log.progress.last?.kind === "started";
      if (now - changedAt > (isFaulty ? HUNG_WITH_FAULT_MS : HUNG_ELSEWHERE_MS)) return "hung";
      if (now - printedAt < PRINT_EVERY_MS) continue;
      printedAt = now;
      print(`${log.progress.noticed.size} faults noticed, ${log.progress.finishedTests} tests finished`);
    }
    return "finished";
  } finally {
    kill();
    await exited;
    process.off("exit", kill);
    log.follow();
  }
}
