import { PlatformError } from "../errors/platform-error.ts";
import { isJsonObject, type JsonValue } from "../platform/json.ts";
import { BaseCodeExecutor, type CodeExecutorOptions } from "./base-code-executor.ts";
import type { CodeExecutionInput, CodeExecutionResult, ExecutionScope, File } from "./code-executor.ts";
import { type ContainerEngine, engineEnvironment, findContainerEngine } from "./container-engine.ts";
import { assertFileNames, isFileName, mimeTypeOf } from "./files.ts";
import { type ProcessResult, runProcess } from "./run-process.ts";
import { SANDBOX_PROGRAM } from "./sandbox-program.ts";

export interface ContainerCodeExecutorOptions extends Omit<CodeExecutorOptions, "stateful"> {
  /** An image with `python3`; it has to be on the machine already. */
  readonly image?: string;
  /** Without it podman, else docker. */
  readonly engine?: ContainerEngine;
  /** What runs the container instead of the engine's own, such as `runsc`. */
  readonly ociRuntime?: string;
  /** 60 seconds unless given. */
  readonly timeoutMs?: number;
  /** 512 MiB unless given, files included. */
  readonly memoryBytes?: number;
  /** 128 unless given; processes and threads. */
  readonly maxProcesses?: number;
  /** 1 unless given. */
  readonly cpus?: number;
}

const DEFAULT_IMAGE = "docker.io/library/python:3.13-slim";
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MEMORY_BYTES = 512 * 1024 * 1024;
const DEFAULT_MAX_PROCESSES = 128;
const MAX_FOLDER = "64m";
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_OUTPUT_FILES = 32;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Both folders in base64, the texts, and room. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** The code's own limit is kept inside; this much later the container itself is ended. */
const START_GRACE_MS = 20_000;
const NOBODY = "65534:65534";

/**
 * Runs Python in a container of its own for each execution: no network, no capabilities, no privileges to gain, nothing of the host mounted, a
 * read-only system with two small folders in memory, an unprivileged user, and limits of time, memory, processors and processes.
 */
export class ContainerCodeExecutor extends BaseCodeExecutor {
  readonly #options: ContainerCodeExecutorOptions;
  #engine: Promise<ContainerEngine> | undefined;

  constructor(options: ContainerCodeExecutorOptions = {}) {
    super({ ...options, stateful: false });
    if (options.image?.startsWith("-") === true)
      throw new PlatformError("INVALID_FIELD", "image must be the name of an image, not an option.");
    this.#options = options;
  }

  override async executeCode(input: CodeExecutionInput, scope: ExecutionScope): Promise<CodeExecutionResult> {
    assertFileNames(input.inputFiles);
    const engine = await this.#findEngine();
    const container = `agentplane-code-${scope.jobId.replace(/[^A-Za-z0-9_.-]/g, "-")}`;
    const timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const job = {
      code: input.code,
      files: input.inputFiles.map(({ name, content }) => ({ name, content })),
      timeoutSeconds: timeoutMs / 1000,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      maxFiles: MAX_OUTPUT_FILES,
      maxFileBytes: MAX_FILE_BYTES,
    };
    let ended = false;
    try {
      const result = await runProcess({
        command: engine,
        args: containerArguments(engine, container, this.#options),
        stdin: JSON.stringify(job),
        env: engineEnvironment(),
        timeoutMs: timeoutMs + START_GRACE_MS,
        maxOutputBytes: MAX_ANSWER_BYTES,
        signal: scope.signal,
      });
      ended = !result.timedOut;
      return toResult(result, timeoutMs, this.#options.image ?? DEFAULT_IMAGE);
    } finally {
      // Killing the engine's client does not end the container.
      if (!ended) await removeContainer(engine, container);
    }
  }

  /** Looks once; a failure is looked at again, for the engine may have been started meanwhile. */
  #findEngine(): Promise<ContainerEngine> {
    const { engine, ociRuntime } = this.#options;
    this.#engine ??= findContainerEngine(engine === undefined ? undefined : [engine], ociRuntime).catch((error) => {
      this.#engine = undefined;
      throw error;
    });
    return this.#engine;
  }
}

/** The whole command line of the engine, each argument on its own: no shell ever sees it. */
export function containerArguments(
  engine: ContainerEngine,
  container: string,
  options: ContainerCodeExecutorOptions,
): readonly string[] {
  const { image = DEFAULT_IMAGE, ociRuntime, memoryBytes = DEFAULT_MEMORY_BYTES } = options;
  const { maxProcesses = DEFAULT_MAX_PROCESSES, cpus = 1 } = options;
  const runtime = ociRuntime === undefined ? [] : ["--runtime", ociRuntime];
  return [
    ...(engine === "podman" ? runtime : []),
    "run",
    ...(engine === "docker" ? runtime : []),
    "--rm",
    "--interactive",
    `--name=${container}`,
    "--pull=never",
    "--network=none",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    `--user=${NOBODY}`,
    "--ipc=none",
    `--pids-limit=${maxProcesses}`,
    `--memory=${memoryBytes}`,
    `--memory-swap=${memoryBytes}`,
    `--cpus=${cpus}`,
    `--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=${MAX_FOLDER},mode=1777`,
    `--tmpfs=/work:rw,noexec,nosuid,nodev,size=${MAX_FOLDER},mode=1777`,
    "--workdir=/work",
    "--env=HOME=/work",
    "--entrypoint=python3",
    image,
    "-I",
    "-c",
    SANDBOX_PROGRAM,
  ];
}

async function removeContainer(engine: ContainerEngine, container: string): Promise<void> {
  const removal = { command: engine, args: ["rm", "--force", container], env: engineEnvironment() };
  await runProcess({ ...removal, timeoutMs: START_GRACE_MS, maxOutputBytes: MAX_OUTPUT_BYTES });
}

/** Exit statuses of the engines themselves: they, not the code, have failed. */
const ENGINE_FAILURES: readonly (number | undefined)[] = [125, 126, 127];

function toResult(result: ProcessResult, timeoutMs: number, image: string): CodeExecutionResult {
  if (result.timedOut) return stopped("", timeoutMs);
  if (ENGINE_FAILURES.includes(result.exitCode)) {
    throw new PlatformError(
      "CODE_EXECUTOR_UNAVAILABLE",
      `The container for code could not be started. Is the image on the machine (pull ${image}), and does it have python3?`,
      { cause: new Error(result.stderr) },
    );
  }
  const report = readReport(result.stdout);
  if (report === undefined) {
    const stderr = "The sandbox was ended from outside: the code used more memory or processes than it may.";
    return { stdout: "", stderr, outputFiles: [], outcome: "failed" };
  }
  const { stdout, stderr, exitCode, timedOut, outputFiles } = report;
  if (timedOut) return { ...stopped(stderr, timeoutMs), stdout, outputFiles };
  const failure = stderr === "" ? `The code ended with exit status ${exitCode}.` : stderr;
  return exitCode === 0
    ? { stdout, stderr, outputFiles, outcome: "ok" }
    : { stdout, stderr: failure, outputFiles, outcome: "failed" };
}

function stopped(stderr: string, timeoutMs: number): CodeExecutionResult {
  const note = `The code was stopped after ${timeoutMs} ms.`;
  return { stdout: "", stderr: stderr === "" ? note : `${stderr}\n${note}`, outputFiles: [], outcome: "timed-out" };
}

interface SandboxReport {
  readonly exitCode: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputFiles: readonly File[];
}

/** Code in the sandbox may have tampered with it, so it is read like any input. */
export function readReport(text: string): SandboxReport | undefined {
  let report: JsonValue;
  try {
    report = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(report)) return undefined;
  const { exitCode, timedOut, stdout, stderr, files } = report;
  if (typeof exitCode !== "number" || typeof stdout !== "string" || typeof stderr !== "string") return undefined;
  const outputFiles = (Array.isArray(files) ? files : []).slice(0, MAX_OUTPUT_FILES).flatMap(readFile);
  return { exitCode, timedOut: timedOut === true, stdout, stderr, outputFiles };
}

function readFile(file: JsonValue): readonly File[] {
  if (!isJsonObject(file)) return [];
  const { name, content } = file;
  if (typeof name !== "string" || typeof content !== "string" || !isFileName(name)) return [];
  // Through bytes and back, so that what is saved is base64 whatever was written.
  return [{ name, content: Buffer.from(content, "base64").toString("base64"), mimeType: mimeTypeOf(name) }];
}
