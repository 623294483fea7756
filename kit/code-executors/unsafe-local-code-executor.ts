import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodeExecutionInput, CodeExecutionResult, ExecutionScope, File } from "#kit/core/code-executor.ts";
import { present } from "#kit/platform/members.ts";
import { ConfigurationException } from "../errors/kit-errors.ts";
import { PlatformError } from "../errors/platform-error.ts";
import { readEnvironment } from "../platform/environment.ts";
import type { Logger } from "../platform/logger.ts";
import { BaseCodeExecutor, type CodeExecutorOptions } from "./base-code-executor.ts";
import { assertFileNames, isFileName, mimeTypeOf } from "./files.ts";
import { type ProcessResult, runProcess } from "./run-process.ts";

/** Options of an `UnsafeLocalCodeExecutor`. */
export interface UnsafeLocalCodeExecutorOptions extends Omit<CodeExecutorOptions, "stateful"> {
  /** Confirms that every user of the agent may run any program with the rights of this process. */
  readonly allowUnsafeLocalExecution: true;
  /**
   * Receives the warning at construction. If absent, the warning is emitted with `process.emitWarning`. The runner's
   * logger also receives it at the first execution.
   */
  readonly logger?: Logger;
  /** Repeats the warning for each execution. */
  readonly warnOnEachRun?: boolean;
  /** The time limit of an execution, in milliseconds; 60,000 by default. */
  readonly timeoutMs?: number;
  /** The Python program; `python3` by default. */
  readonly command?: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_OUTPUT_FILES = 32;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const WARNING =
  "UnsafeLocalCodeExecutor runs what the model writes with the rights of this process, without any isolation. Use it on your own machine only.";

/**
 * Runs Python on this machine without isolation: for experiments. Code gets a folder of its own, which is removed
 * afterwards, and of this process's environment only `PATH`, but it can read, write and reach everything that the
 * process can. The constructor throws `CONFIGURATION` without `allowUnsafeLocalExecution`; an execution throws
 * `CODE_EXECUTOR_UNAVAILABLE` if Python cannot be started.
 */
export class UnsafeLocalCodeExecutor extends BaseCodeExecutor {
  readonly #options: UnsafeLocalCodeExecutorOptions;
  #warned = false;

  constructor(options?: UnsafeLocalCodeExecutorOptions) {
    super({ ...options, stateful: false });
    if (options?.allowUnsafeLocalExecution !== true) {
      throw new ConfigurationException(
        "UnsafeLocalCodeExecutor runs a model's code without isolation: set allowUnsafeLocalExecution to true to say that you want that, or use ContainerCodeExecutor.",
      );
    }
    this.#options = options;
    if (options.logger === undefined) process.emitWarning(WARNING, { code: "FAIRLEAD_UNSAFE_CODE_EXECUTOR" });
    else options.logger.warn({}, WARNING);
  }

  override async executeCode(input: CodeExecutionInput, scope: ExecutionScope): Promise<CodeExecutionResult> {
    assertFileNames(input.inputFiles);
    if (!this.#warned || this.#options.warnOnEachRun === true) scope.logger.warn({ jobId: scope.jobId }, WARNING);
    this.#warned = true;
    const folder = await mkdtemp(join(tmpdir(), "fairlead-code-"));
    try {
      const work = join(folder, "work");
      const program = join(folder, "main.py");
      await mkdir(work);
      await writeFile(program, input.code);
      for (const { name, content } of input.inputFiles) await writeFile(join(work, name), content, "base64");
      const result = await this.#run(program, work, scope);
      const known = new Set(input.inputFiles.map(({ name }) => name));
      return { ...toResult(result, this.#timeoutMs), outputFiles: await newFiles(work, known) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  async #run(program: string, work: string, { signal }: ExecutionScope): Promise<ProcessResult> {
    const command = this.#options.command ?? "python3";
    const path = readEnvironment("PATH");
    try {
      return await runProcess({
        command,
        // Isolated mode: neither the program's folder nor the user's settings change which modules are imported.
        args: ["-I", "-X", "utf8", program],
        cwd: work,
        env: present({ HOME: work, LANG: "C.UTF-8", PATH: path }),
        timeoutMs: this.#timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new PlatformError(
        "CODE_EXECUTOR_UNAVAILABLE",
        "Python could not be started to run code: install it, or set the executor's `command`.",
        { cause: error },
      );
    }
  }
}

function toResult({ exitCode, stdout, stderr, timedOut }: ProcessResult, timeoutMs: number) {
  if (timedOut)
    return { stdout, stderr: `${stderr}\nThe code was stopped after ${timeoutMs} ms.`, outcome: "timed-out" as const };
  if (exitCode === 0) return { stdout, stderr, outcome: "ok" as const };
  const end = exitCode === undefined ? "The code was killed." : `The code ended with exit status ${exitCode}.`;
  return { stdout, stderr: stderr === "" ? end : stderr, outcome: "failed" as const };
}

/** The files that the code has written, without its input. Links are not followed: they may lead anywhere. */
async function newFiles(folder: string, known: ReadonlySet<string>): Promise<readonly File[]> {
  const files: File[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (known.has(name) || !isFileName(name) || files.length === MAX_OUTPUT_FILES) continue;
    const path = join(folder, name);
    const { size, ...entry } = await lstat(path).then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
    if (!entry.isFile || size > MAX_FILE_BYTES) continue;
    files.push({ name, content: await readFile(path, "base64"), mimeType: mimeTypeOf(name) });
  }
  return files;
}
