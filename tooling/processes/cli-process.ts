import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);

interface CliProcessOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Entry point, relative to the repository's root. */
  readonly script?: string;
  /** Working directory; by default that of the test. */
  readonly directory?: string;
  /** Runs it in a terminal, by the program `script`; the output then contains the input too. */
  readonly isTerminal?: boolean;
}

/** This program as a process whose environment is the given one only, and whose output is kept. */
export class CliProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  output = "";
  #isOver = false;
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], options: CliProcessOptions = {}) {
    const { environment = {}, script = "cli/fairlead.mjs", directory, isTerminal = false } = options;
    const env = { PATH: process.env["PATH"], ...environment };
    const program = [process.execPath, fileURLToPath(new URL(script, ROOT)), ...args];
    const [command = "", ...words] = isTerminal ? inTerminal(program) : program;
    this.child = spawn(command, words, {
      env,
      stdio: ["pipe", "pipe", "pipe"],
      ...(directory !== undefined && { cwd: directory }),
    });
    this.ended = once(this.child, "close").finally(() => {
      this.#isOver = true;
      this.#wake();
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        this.#wake();
      });
    }
  }

  /** Resolves when the output matches the pattern; rejects when the process has ended and all its output does not match. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (this.#isOver) throw new Error(`The process has ended: ${this.output}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    await this.ended;
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.end("SIGKILL");
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

function inTerminal(program: readonly string[]): readonly string[] {
  const quoted = program.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return ["script", "--quiet", "--return", "--flush", "--command", quoted, "/dev/null"];
}
