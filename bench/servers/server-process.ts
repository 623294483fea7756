import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "#tooling/free-ports.ts";
import { killAtExit } from "../kill-at-exit.ts";
import { cpuMicrosOf, residentMegabytesOf } from "../process-figures.ts";
import type { MeasuredServer } from "../scenarios/scenario.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: (port: number) => readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the process of this port keeps its data; absent if it keeps none on disk. */
  readonly dataFolder?: (port: number) => string;
}

const LOOK_EVERY_MS = 5;
const START_TIMEOUT_MS = 30_000;

/** A server under test: a child process on a core of its own. */
export class ServerProcess implements MeasuredServer, AsyncDisposable {
  readonly url: string;
  readonly readyMs: number;
  readonly dataFolder: string | undefined;
  readonly #child: ChildProcess;
  readonly #pid: number;

  private constructor(child: ChildProcess, url: string, readyMs: number, dataFolder: string | undefined) {
    this.#child = child;
    this.url = url;
    this.readyMs = readyMs;
    this.dataFolder = dataFolder;
    if (child.pid === undefined) throw new Error("the server did not start");
    this.#pid = child.pid;
  }

  /** Starts the server on core 0 and waits until it lists its apps. */
  static async start(server: ServerCommand): Promise<ServerProcess> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const started = performance.now();
    const child = spawn("taskset", ["-c", "0", server.command, ...server.args(port)], {
      cwd: server.cwd,
      env: { ...process.env, ...server.env },
      stdio: ["ignore", "ignore", "inherit"],
    });
    killAtExit(child);
    while (performance.now() - started < START_TIMEOUT_MS) {
      if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
      const answer = await fetch(`${url}/list-apps`).catch(() => undefined);
      // A server with authentication is ready too, and answers 401 to a call without credentials.
      if (answer?.ok === true || answer?.status === 401)
        return new ServerProcess(child, url, performance.now() - started, server.dataFolder?.(port));
      await pause(LOOK_EVERY_MS);
    }
    throw new Error(`the server did not become ready in ${START_TIMEOUT_MS / 1000} s`);
  }

  cpuMicros(): number {
    return cpuMicrosOf(this.#pid);
  }

  residentMegabytes(): number {
    return residentMegabytesOf(this.#pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(force);
  }
}
