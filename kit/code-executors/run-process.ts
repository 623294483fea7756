import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export interface ProcessOptions {
  readonly command: string;
  /** Passed to the program unchanged: no shell interprets them. */
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly cwd?: string;
  /** The whole environment; nothing of the parent's is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Limit of each stream; further output is discarded. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal;
  /**
   * For a program that must be able to clean up: it gets SIGTERM, and is killed this much later. Absent: it is killed
   * immediately.
   */
  readonly endGraceMs?: number;
}

export interface ProcessResult {
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/**
 * Runs a program until it ends, or kills it with all processes that it has started. Throws the signal's reason, and the
 * error if the program could not be started.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const { signal, timeoutMs, endGraceMs } = options;
  signal?.throwIfAborted();
  const child = spawn(options.command, [...options.args], {
    cwd: options.cwd,
    env: { ...options.env },
    // A process group of its own, so that it can be killed with its children.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let timedOut = false;
  let graceTimer: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (endGraceMs === undefined) return killGroup(child);
    killGroup(child, "SIGTERM");
    graceTimer ??= setTimeout(killGroup, endGraceMs, child);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  signal?.addEventListener("abort", end, { once: true });
  try {
    const stdout = collect(child.stdout, options.maxOutputBytes);
    const stderr = collect(child.stderr, options.maxOutputBytes);
    // A program that ends without reading its input causes an EPIPE here, which is not a failure.
    child.stdin.on("error", () => {});
    child.stdin.end(options.stdin ?? "");
    const exitCode = await ended(child);
    signal?.throwIfAborted();
    return { exitCode, stdout: stdout(), stderr: stderr(), timedOut };
  } finally {
    clearTimeout(timer);
    clearTimeout(graceTimer);
    signal?.removeEventListener("abort", end);
  }
}

function ended(child: ChildProcessWithoutNullStreams): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  child.once("error", reject);
  child.once("exit", (code) => {
    // Processes that it left running in the background are killed too; the output is complete shortly after.
    killGroup(child);
    const done = (): void => {
      clearTimeout(timer);
      resolve(code ?? undefined);
    };
    const timer = setTimeout(done, DRAIN_MS).unref();
    child.once("close", done);
  });
  return promise;
}

const DRAIN_MS = 500;

function killGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals = "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

function collect(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    const room = maxBytes - size;
    size += chunk.length;
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
  });
  return () => {
    const text = Buffer.concat(chunks).toString("utf8");
    return size > maxBytes ? `${text}\n[${size - maxBytes} more bytes were left out]` : text;
  };
}
