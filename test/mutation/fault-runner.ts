import { readFileSync } from "node:fs";
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner, vi } from "vitest";
import { type Progress, ProgressLog } from "./progress.ts";

/** The state of Stryker's instrumented code, which it keeps in `globalThis.__stryker__`. */
interface Instrumentation {
  activeMutant?: string | undefined;
  /** The test that reached faults are counted for; without one they count as static. */
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  /** The active fault throws when it is reached more often. */
  hitLimit?: number | undefined;
  mutantCoverage?: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
}

interface Failure {
  readonly how: "Killed" | "Timeout";
  readonly message: string;
}

type EachHooks = Pick<ReturnType<typeof TestRunner.getSuiteHooks>, "beforeEach" | "afterEach">;

declare global {
  var __stryker__: Instrumentation | undefined;
  // vitest loads the runner again for each file of tests.
  var faultLog: ProgressLog | undefined;
}

/** With the hooks that a test adds while it runs, which are not in vitest's types. */
type TestWithHooks = RunnerTestCase & {
  onFinished?: ((context: RunnerTestCase["context"]) => unknown)[];
  onFailed?: unknown;
};

const FIRST_ATTEMPT_LIMIT_MS = 20_000;

// Tests replace the timers.
const { setTimeout, clearTimeout } = globalThis;
const now = performance.now.bind(performance);

/**
 * Runs each test once without a fault, and then once with each fault that it reaches and that no test has noticed. All
 * of it happens in one process, so the loaded modules and their state are shared: after each noticed fault the test
 * runs without it, and if it fails the process asks to be ended and continues in a new one, where the fault is tried
 * again. The log holds all results; a new process continues from it. Hooks of a suite (beforeAll, aroundEach) run
 * once.
 */
// biome-ignore lint/style/noDefaultExport: vitest loads a runner by its default export.
export default class FaultRunner extends TestRunner {
  readonly #log = openLog();
  readonly #faults: ReadonlySet<string> = new Set(
    JSON.parse(readFileSync(process.env["MUTATION_FAULTS"] ?? "", "utf8")) as string[],
  );
  readonly #maxTestMs = Number(process.env["MUTATION_MAX_TEST_MS"]);
  readonly #instrumentation: Instrumentation = (globalThis.__stryker__ ??= {});
  readonly #hooks = new Map<RunnerTestSuite, EachHooks>();

  get #progress(): Progress {
    return this.#log.progress;
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    const { beforeEach, afterEach } = TestRunner.getSuiteHooks(suite);
    // Taken out of the suite, because each attempt runs them.
    this.#hooks.set(suite, { beforeEach: beforeEach.splice(0), afterEach: afterEach.splice(0) });
    await super.onBeforeRunSuite(suite);
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    const faults = Object.keys(this.#instrumentation.mutantCoverage?.static ?? {});
    const added = faults.filter((fault) => !this.#progress.static.has(fault));
    if (added.length > 0) this.#log.append({ kind: "static", faults: added });
    super.onAfterRunFiles(files);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    // Such a test cannot notice a fault.
    if (test.fails) throw new Error("not run");
    if (this.#progress.isFinished(test.id)) return;
    const started = now();
    this.#instrumentation.currentTestId = test.id;
    const failure = await this.#attempt(test, FIRST_ATTEMPT_LIMIT_MS);
    this.#instrumentation.currentTestId = undefined;
    const tookMs = now() - started;
    const hits = this.#instrumentation.mutantCoverage?.perTest[test.id] ?? {};
    const unused = { test: test.id, title: `${test.file.name} > ${test.fullTestName}`, faults: Object.keys(hits) };
    if (failure !== undefined) return await this.#restart({ kind: "failed", message: failure.message, ...unused });
    const open = unused.faults.filter((fault) => this.#faults.has(fault) && this.#progress.isOpen(fault, test.id));
    if (open.length > 0 && tookMs > this.#maxTestMs) return this.#log.append({ kind: "slow", tookMs, ...unused });
    const limitMs = 1000 + tookMs * 5;
    const repeated = open.length > 0 ? await this.#attempt(test, limitMs) : undefined;
    if (repeated !== undefined) return await this.#restart({ kind: "failed", message: repeated.message, ...unused });
    for (const fault of open) await this.#try(fault, test, hits[fault] ?? 0, limitMs);
    this.#log.append({ kind: "finished", test: test.id });
  }

  async #try(fault: string, test: RunnerTestCase, hits: number, limitMs: number): Promise<void> {
    const pair = { fault, test: test.id };
    const hitLimit = hits * 100 + 1000;
    this.#log.append({ kind: "started", ...pair });
    Object.assign(this.#instrumentation, { activeMutant: fault, hitCount: 0, hitLimit });
    const failure = await this.#attempt(test, limitMs);
    const isEndless = (this.#instrumentation.hitCount ?? 0) > hitLimit;
    Object.assign(this.#instrumentation, { activeMutant: undefined, hitCount: undefined });
    if (failure === undefined && !isEndless) return this.#log.append({ kind: "survived", ...pair });
    const noticed = { kind: "noticed", ...pair, how: isEndless ? "Timeout" : failure!.how } as const;
    const isClean = (await this.#attempt(test, limitMs)) === undefined;
    if (isClean || this.#progress.isSuspect(fault, test.id)) this.#log.append(noticed);
    else this.#log.append({ kind: "suspect", ...pair });
    if (!isClean) await this.#restart();
  }

  /** Returns why the test failed, if it did. */
  async #attempt(test: RunnerTestCase, limitMs: number): Promise<Failure | undefined> {
    const cleanups: (() => unknown)[] = [];
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<Failure>((resolve) => {
      timer = setTimeout(resolve, limitMs, { how: "Timeout", message: `takes longer than ${Math.round(limitMs)} ms` });
    });
    try {
      vi.useRealTimers();
      this.onBeforeTryTask(test, { retry: 0, repeats: 0 });
      return await Promise.race([this.#runOnce(test, cleanups), limit]);
    } catch (error) {
      return failureOf(error);
    } finally {
      clearTimeout(timer);
      await this.#cleanUp(test, cleanups);
    }
  }

  async #runOnce(test: RunnerTestCase, cleanups: (() => unknown)[]): Promise<Failure | undefined> {
    try {
      for (const suite of suitesOf(test).reverse()) {
        for (const hook of this.#hooks.get(suite)?.beforeEach ?? []) {
          const cleanup: unknown = await hook(test.context, suite);
          if (typeof cleanup === "function") cleanups.push(() => cleanup(test.context));
        }
      }
      await TestRunner.getTestFn(test)();
      this.onAfterTryTask(test);
      // expect.soft marks the test instead of throwing.
      return test.result?.state === "fail" ? failureOf(test.result.errors?.[0]) : undefined;
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Its failures are those of a test that was stopped halfway. */
  async #cleanUp(test: TestWithHooks, cleanups: readonly (() => unknown)[]): Promise<void> {
    const finished = (test.onFinished ?? []).toReversed().map((hook) => () => hook(test.context));
    const after = suitesOf(test).flatMap((suite) =>
      (this.#hooks.get(suite)?.afterEach ?? []).toReversed().map((hook) => () => hook(test.context, suite)),
    );
    for (const step of [...after, ...cleanups.toReversed(), ...finished]) {
      try {
        await step();
      } catch {}
    }
    delete test.onFinished;
    delete test.onFailed;
    if (test.result !== undefined) Object.assign(test.result, { state: "run", errors: undefined });
    vi.useRealTimers();
  }

  async #restart(record?: Parameters<ProgressLog["append"]>[0]): Promise<void> {
    if (record !== undefined) this.#log.append(record);
    this.#log.append({ kind: "restart" });
    await new Promise(() => {});
  }
}

function suitesOf(test: RunnerTestCase): RunnerTestSuite[] {
  const suites: RunnerTestSuite[] = [];
  for (let suite = test.suite; suite !== undefined; suite = suite.suite) suites.push(suite);
  return suites.includes(test.file) ? suites : [...suites, test.file];
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String((error as { message?: unknown })?.message ?? error);
  return { how: "Killed", message: message.slice(0, 200) };
}

function openLog(): ProgressLog {
  if (globalThis.faultLog === undefined) {
    globalThis.faultLog = new ProgressLog(process.env["MUTATION_LOG"] ?? "");
    globalThis.faultLog.follow();
  }
  return globalThis.faultLog;
}
