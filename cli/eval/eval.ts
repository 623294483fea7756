import { access, constants, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { inspect } from "node:util";
import type { App } from "#kit/core/app.ts";
import { PluginManager } from "#kit/core/plugin-manager.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { redactText } from "#kit/errors/redact.ts";
import { shownMessage } from "#kit/errors/shown-error.ts";
import type { EvalCaseResult, EvalSetResult } from "#kit/evaluation/eval-result.ts";
import { evaluate } from "#kit/evaluation/local/evaluate.ts";
import { failureText } from "#kit/evaluation/metrics/failure-text.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { parseJson } from "#kit/schema/read-json.ts";
import { printColoured, printError, printLine } from "../output/terminal.ts";
import { UsageError } from "../parse-arguments.ts";
import { readUrl } from "../read-url.ts";
import { type Drop, significantDrops } from "./baseline.ts";
import { importFunctions } from "./custom-functions.ts";
import { createReport, type EvalReport, isCasePassed } from "./eval-report.ts";
import { junitXml } from "./junit.ts";
import { ProgressBar } from "./progress-bar.ts";
import { readSets, readText, type SetToEvaluate } from "./read-sets.ts";
import { evaluateOnServer } from "./remote-eval.ts";
import { reportText } from "./report-text.ts";

const END_MS = 1000;
const LONG_MS = 60_000;
const MOST_REPETITIONS = 1000;

export interface EvalCommand {
  /** The folder of the app; with `--url` its name. */
  readonly folder: string;
  /** Files and ids of sets, with `--url` ids alone; none for all. */
  readonly sets: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  /** An API key or a token for the server of `--url`. */
  readonly credentials: string | undefined;
}

/**
 * Evaluates an app on sets, prints the result, and returns the exit code: 0 passed, 1 failed, 2 could not run. With a
 * baseline only a significant drop fails.
 */
export async function evalCommand(command: EvalCommand): Promise<number> {
  // Timers of the kit do not keep the process alive while a model answers.
  const keepAlive = setInterval(() => {}, LONG_MS);
  try {
    return await evaluateApp(command);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const text =
      error instanceof PlatformError ? `fairlead: ${shownMessage(error, IN_TERMINAL)}` : redactText(inspect(error));
    printError(text);
    return 2;
  } finally {
    clearInterval(keepAlive);
    // A module of an agent may have opened something that keeps the process alive.
    setTimeout(() => process.exit(), END_MS).unref();
  }
}

const IN_TERMINAL = { errorDetail: "full", place: "this command" } as const;

async function evaluateApp(command: EvalCommand): Promise<number> {
  const { flags } = command;
  const repeat = repeatOf(flags.get("--repeat"));
  const baselineFile = flags.get("--baseline");
  // Read before anything is run, which may take long and cost money.
  const baseline = baselineFile === undefined ? undefined : parseJson(await readText(baselineFile), baselineFile);
  const junitFile = flags.get("--junit");
  if (junitFile !== undefined) await makeFolder("--junit", dirname(junitFile));
  const resultsFolder = flags.get("--results");
  if (resultsFolder !== undefined) await makeFolder("--results", resultsFolder);
  const url = flags.get("--url");
  const report = url === undefined ? await evaluateHere(command, repeat) : await evaluateThere(command, url, repeat);
  const drops = baseline === undefined ? undefined : significantDrops(baseline, report);
  if (flags.has("--json")) printLine(JSON.stringify(report, null, 2));
  else printColoured(reportText(report, drops));
  if (junitFile !== undefined) await writeFile(junitFile, junitXml(report));
  if (resultsFolder !== undefined) await writeResults(resultsFolder, report.results);
  return isPassed(report, drops) ? 0 : 1;
}

async function makeFolder(flag: string, folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${flag}: nothing can be written to the folder ${folder}: ${failureText(error)}`);
  }
}

async function evaluateHere({ folder, sets: words, flags }: EvalCommand, repeat: number): Promise<EvalReport> {
  const sets = await readSets(folder, words, flags.get("--config"));
  using interrupt = new Interrupt();
  return await runSets(folder, { sets, repeat, signal: interrupt.signal });
}

async function evaluateThere(command: EvalCommand, url: string, repeat: number): Promise<EvalReport> {
  const { folder: app, sets, flags, credentials } = command;
  if (flags.has("--results")) throw new UsageError("--results is not for --url: the server keeps the results.");
  const configFile = flags.get("--config");
  using interrupt = new Interrupt();
  using bar = new ProgressBar();
  const parts = { clock: systemClock, ids: new UuidV7Generator(), sleep };
  return await evaluateOnServer(
    { url: readUrl(url), credentials, app, sets, configFile, repeat },
    { ...parts, onProgress: (progress) => bar.show(progress), signal: interrupt.signal },
  );
}

/** Writes result files as ADK names them. */
async function writeResults(folder: string, results: readonly EvalSetResult[]): Promise<void> {
  for (const result of results) {
    const path = join(folder, `${result.evalSetResultName}.evalset_result.json`);
    await writeFile(path, `${JSON.stringify(result, null, 2)}\n`);
  }
}

interface Plan {
  readonly sets: readonly SetToEvaluate[];
  readonly repeat: number;
  readonly signal: AbortSignal;
}

async function runSets(folder: string, plan: Plan): Promise<EvalReport> {
  const path = resolve(folder);
  const loader = new DirectoryAgentLoader({ directory: dirname(path), hotReload: false });
  try {
    const { app } = await loader.loadAgent(basename(path));
    try {
      return createReport(app.name, plan.repeat, await evaluateSets(app, plan));
    } finally {
      await Promise.all([app.rootAgent.close(), new PluginManager(app.plugins).close()]);
    }
  } finally {
    await loader.close();
  }
}

async function evaluateSets(app: App, { sets, repeat, signal }: Plan): Promise<readonly EvalSetResult[]> {
  const total = repeat * sets.reduce((sum, { set }) => sum + set.evalCases.length, 0);
  using bar = new ProgressBar();
  let done = 0;
  let failed = 0;
  const onCaseResult = (result: EvalCaseResult): void => {
    done += 1;
    if (!isCasePassed(result)) failed += 1;
    bar.show({ total, done, failed });
  };
  bar.show({ total, done, failed });
  const results: EvalSetResult[] = [];
  try {
    for (const { set, config, configFolder } of sets) {
      const customMetrics = await importFunctions(config, configFolder);
      for (let run = 0; run < repeat; run += 1)
        results.push(await evaluate(app, set, config, { customMetrics, onCaseResult, signal }));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = `The evaluation was cancelled after ${done} of ${total} runs, of which ${done - failed} passed.`;
    throw new PlatformError("EVAL_JOB_CANCELLED", message);
  }
  return results;
}

function isPassed({ total }: EvalReport, drops: readonly Drop[] | undefined): boolean {
  return drops === undefined ? total.passed === total.runs : drops.length === 0;
}

function repeatOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const count = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MOST_REPETITIONS) return count;
  throw new UsageError(`--repeat is "${text}": give a whole number from 1 to ${MOST_REPETITIONS}.`);
}

/** Ctrl-C of the user: the first one ends the evaluation in good order, a second one the command immediately. */
export class Interrupt implements Disposable {
  readonly #controller = new AbortController();
  readonly #onInterrupt = (): void => this.#controller.abort();

  constructor() {
    process.once("SIGINT", this.#onInterrupt);
  }

  /** Is aborted by the first Ctrl-C. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    process.removeListener("SIGINT", this.#onInterrupt);
  }
}
