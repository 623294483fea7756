import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);

interface CliProcessOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Entry point, from the repository's root. */
  readonly script?: string;
  /** The folder that it runs in; by default the test's own. */
  readonly directory?: string;
}

/** This program as a process, with no environment but the given one, whose output is kept. */
export class CliProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  output = "";

  constructor(args: readonly string[], options: CliProcessOptions = {}) {
    const { environment = {}, script = "cli/main.ts", directory } = options;
    const env = { PATH: process.env["PATH"], ...environment };
    this.child = spawn(process.execPath, [...(process.env["PROFILE_DIR"] ? ["--cpu-prof", `--cpu-prof-name=${script.split("/")[1]}.cpuprofile`, `--cpu-prof-dir=${process.env["PROFILE_DIR"]}`] : []), fileURLToPath(new URL(script, ROOT)), ...args], {
      env,
      stdio: ["pipe", "pipe", "pipe"],
      ...(directory !== undefined && { cwd: directory }),
    });
    this.ended = once(this.child, "close");
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
  }

  /** Resolves when the output has the pattern; rejects when the process ends without it. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (this.child.exitCode !== null) throw new Error(`The process has ended: ${this.output}`);
      await Promise.race([once(this.child.stdout ?? this.child, "data"), this.ended]);
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    await this.ended;
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.end(process.env["PROFILE_DIR"] ? "SIGTERM" : "SIGKILL");
  }
}
