import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export interface ProcessOptions {
  readonly command: string;
  /** Given to the program as they are: no shell sees them. */
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly cwd?: string;
  /** The whole environment; nothing of the parent's is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of each stream; what comes after is thrown away. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal;
  /** For a program that must not be cut off in the middle of things: it gets SIGTERM, and is killed this much later. Else it is killed. */
  readonly endGraceMs?: number;
}

export interface ProcessResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** Runs a program to its end, or kills it with all it has started. Throws the signal's reason, and what kept the program from starting. */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const { signal, timeoutMs, endGraceMs } = options;
  signal?.throwIfAborted();
  const child = spawn(options.command, [...options.args], {
    cwd: options.cwd,
    env: { ...options.env },
    // A group of its own, so that it can be killed with its children.
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
    // A program that ends without reading its input is no failure.
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
    // What it left running in the background goes with it; its output is complete a moment later.
    killGroup(child);
    const done = (): void => resolve(code ?? undefined);
    child.once("close", done);
    setTimeout(done, DRAIN_MS).unref();
  });
  return promise;
}

const DRAIN_MS = 500;

function killGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals = "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
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
