import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "#tooling/free-ports.ts";
import { killAtExit } from "../kill-at-exit.ts";
import { ownServer } from "../servers/own-server.ts";
import type { ByteCounts, CallCounts, ProbeRequest } from "./probe.ts";

const PROBE = join(import.meta.dirname, "probe.ts");
/** No collection of the young generation in a measurement of some turns, and the same heap on each machine. */
const FLAGS = ["--expose-gc", "--max-semi-space-size=256", "--min-semi-space-size=256", "--max-old-space-size=2048"];

/** This server with its defaults, and a probe that counts what it does. */
export class FloorServer implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(): Promise<FloorServer> {
    const folder = mkdtempSync(join(tmpdir(), "floor-"));
    const { args, cwd, env } = ownServer(folder, { LOG_LEVEL: "error" });
    const port = await freePort();
    const child = spawn(process.execPath, [...FLAGS, "--import", PROBE, ...args(port)], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    killAtExit(child);
    const url = `http://127.0.0.1:${port}`;
    while ((await fetch(`${url}/list-apps`).catch(() => undefined))?.ok !== true) {
      if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return new FloorServer(url, child, folder);
  }

  async calls(job: () => Promise<unknown>): Promise<CallCounts> {
    // What the probe answers to this request.
    return (await this.#measure("calls", job)) as CallCounts;
  }

  async bytes(job: () => Promise<unknown>): Promise<ByteCounts> {
    // As above.
    return (await this.#measure("bytes", job)) as ByteCounts;
  }

  async #measure(request: ProbeRequest, job: () => Promise<unknown>): Promise<unknown> {
    await this.#ask(request);
    await job();
    return this.#ask("end");
  }

  async #ask(request: ProbeRequest): Promise<unknown> {
    this.#child.send(request);
    // The server may send messages of its own.
    for await (const [message] of on(this.#child, "message")) if (Object.hasOwn(message, "probe")) return message.probe;
    throw new Error("the server has ended");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
