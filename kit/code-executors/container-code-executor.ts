import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodeExecutionInput, CodeExecutionResult, ExecutionScope } from "#kit/core/code-executor.ts";
import { PlatformError } from "../errors/platform-error.ts";
import { lazy } from "../platform/lazy.ts";
import type { Logger } from "../platform/logger.ts";
import { BaseCodeExecutor, type CodeExecutorOptions } from "./base-code-executor.ts";
import {
  type ContainerLimits,
  containerArguments,
  DEFAULT_IMAGE,
  DEFAULT_TIMEOUT_MS,
  START_GRACE_MS,
} from "./container-arguments.ts";
import { type ContainerEngine, engineEnvironment, findContainerEngine } from "./container-engine.ts";
import { assertFileNames } from "./files.ts";
import { type ProcessResult, runProcess } from "./run-process.ts";
import { REPORT_LIMITS, readReport } from "./sandbox-report.ts";

/** Options of a `ContainerCodeExecutor`: the engine and the limits of each execution. */
export interface ContainerCodeExecutorOptions extends Omit<CodeExecutorOptions, "stateful">, ContainerLimits {
  /** Default: podman, or else docker. */
  readonly engine?: ContainerEngine;
}

/** The most bytes of the sandbox's answer: both folders in base64, and the texts. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
const END_GRACE_MS = 10_000;
const MAX_REMOVAL_MS = 20_000;
const MAX_REMOVAL_BYTES = 4096;

/**
 * Runs Python in a new container for each execution: no network, no capabilities, no way to gain privileges, no mount
 * from the host, a read-only system with two small folders in memory, an unprivileged user, and limits of time, memory,
 * processors and processes. The constructor throws `INVALID_FIELD`; an execution throws `CODE_EXECUTOR_UNAVAILABLE` if
 * no engine or image can be used.
 */
export class ContainerCodeExecutor extends BaseCodeExecutor {
  readonly #options: ContainerCodeExecutorOptions;
  /** Searched once; searched again after a failure, because the engine may have been started since. */
  readonly #engine = lazy(() => {
    const { engine, ociRuntime } = this.#options;
    return findContainerEngine(engine === undefined ? undefined : [engine], ociRuntime);
  });

  constructor(options: ContainerCodeExecutorOptions = {}) {
    super({ ...options, stateful: false });
    if (options.image?.startsWith("-") === true)
      throw new PlatformError("INVALID_FIELD", "image must be the name of an image, not an option.");
    this.#options = options;
  }

  override async executeCode(input: CodeExecutionInput, scope: ExecutionScope): Promise<CodeExecutionResult> {
    assertFileNames(input.inputFiles);
    const engine = await this.#engine();
    const container = `fairlead-code-${scope.jobId.replace(/[^A-Za-z0-9_.-]/g, "-")}`;
    const timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const job = {
      code: input.code,
      files: input.inputFiles.map(({ name, content }) => ({ name, content })),
      timeoutSeconds: timeoutMs / 1000,
      ...REPORT_LIMITS,
    };
    scope.signal.throwIfAborted();
    // Podman's monitor writes a file `oom` into its current folder when the code runs out of memory.
    const folder = await mkdtemp(join(tmpdir(), "fairlead-container-"));
    let ended = false;
    try {
      const result = await runProcess({
        command: engine,
        args: containerArguments(engine, container, this.#options),
        stdin: JSON.stringify(job),
        cwd: folder,
        env: engineEnvironment(),
        timeoutMs: timeoutMs + START_GRACE_MS,
        maxOutputBytes: MAX_ANSWER_BYTES,
        signal: scope.signal,
        // If podman is killed while it creates a container, it leaves an incomplete one that no command finds.
        endGraceMs: END_GRACE_MS,
      });
      ended = !result.timedOut;
      return toResult(result, timeoutMs, this.#options.image ?? DEFAULT_IMAGE);
    } finally {
      // The end of the engine's client is not the end of the container.
      if (!ended) await removeContainer(engine, container, scope.logger);
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function removeContainer(engine: ContainerEngine, container: string, logger: Logger): Promise<void> {
  // By default podman sends SIGTERM and waits ten seconds before it kills the container.
  const flags = engine === "podman" ? ["--time=0", "--ignore"] : [];
  const args = ["rm", "--force", "--volumes", ...flags, container];
  const limits = { timeoutMs: MAX_REMOVAL_MS, maxOutputBytes: MAX_REMOVAL_BYTES };
  try {
    const { exitCode, stderr } = await runProcess({ command: engine, args, env: engineEnvironment(), ...limits });
    // Docker fails if the container is removed already.
    if (exitCode === 0 || /no such container/i.test(stderr)) return;
    logger.error({ container, exitCode, stderr }, "container of code not removed");
  } catch (error) {
    // The caller gets the error that ended the execution, so this one is only logged.
    logger.error({ container, error }, "container of code not removed");
  }
}

/** Exit statuses that mean a failure of the engine and not of the code. */
const ENGINE_FAILURES: readonly (number | undefined)[] = [125, 126, 127];
const NO_IMAGE = /no such image|image not known|unable to find image/i;

function toResult(result: ProcessResult, timeoutMs: number, image: string): CodeExecutionResult {
  if (result.timedOut) return stopped("", timeoutMs);
  if (ENGINE_FAILURES.includes(result.exitCode)) {
    const problem = NO_IMAGE.test(result.stderr)
      ? `The image ${image} is not on the machine: pull it, or name another one with python3.`
      : `The container for code could not be started. Does the image ${image} have python3? The log has the engine's output.`;
    throw new PlatformError("CODE_EXECUTOR_UNAVAILABLE", problem, { cause: new Error(result.stderr) });
  }
  const report = readReport(result.stdout);
  if (report === undefined) {
    const stderr = "The sandbox was ended from outside: the code used more memory or processes than it may.";
    return { stdout: "", stderr, outputFiles: [], outcome: "failed" };
  }
  const { stdout, stderr, exitCode, timedOut, outputFiles } = report;
  if (timedOut) return { ...stopped(stderr, timeoutMs), stdout, outputFiles };
  return exitCode === 0
    ? { stdout, stderr, outputFiles, outcome: "ok" }
    : { stdout, stderr: stderr === "" ? endOf(exitCode) : stderr, outputFiles, outcome: "failed" };
}

function endOf(exitCode: number): string {
  if (exitCode >= 0) return `The code ended with exit status ${exitCode}.`;
  return `The code was ended by signal ${-exitCode}. Signal 9 comes from using more memory than it may.`;
}

function stopped(stderr: string, timeoutMs: number): CodeExecutionResult {
  const note = `The code was stopped after ${timeoutMs} ms.`;
  return { stdout: "", stderr: stderr === "" ? note : `${stderr}\n${note}`, outputFiles: [], outcome: "timed-out" };
}
