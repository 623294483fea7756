import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { PlannedService } from "./plan.ts";

const RESTART_DELAY_MS = 500;
/** A process that ends sooner than this after its start is not started again, because it would end again. */
const SHORTEST_LIFE_MS = 3000;
/** Longer than a service takes to drain. */
const STOP_TIMEOUT_MS = 12_000;

/** A service's process, started again when it ends unexpectedly. */
export class ServiceChild {
  readonly service: PlannedService;
  readonly #onGivenUp: (message: string) => void;
  #child: ChildProcess | undefined;
  #startedAt = 0;
  #isStopping = false;

  constructor(service: PlannedService, onGivenUp: (message: string) => void) {
    this.service = service;
    this.#onGivenUp = onGivenUp;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const { name, label, settings } = this.service;
    const command = fileURLToPath(new URL("../../cli/fairlead.mjs", import.meta.url));
    // A process group of its own: Ctrl-C at the terminal then reaches it once, by way of this process.
    const child = spawn(process.execPath, [command, name], {
      detached: true,
      env: { ...process.env, ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#startedAt = performance.now();
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => console.log(`[${label}] ${line}`));
    }
    child.once("exit", (code, signal) => void this.#ended(code, signal));
  }

  /** Asks the process to end in good order, and kills it after a limit. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Kills it, when this process itself ends. */
  kill(): void {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
  }

  async #ended(code: number | null, signal: string | null): Promise<void> {
    if (this.#isStopping) return;
    const { label } = this.service;
    const isHopeless = signal === null && performance.now() - this.#startedAt < SHORTEST_LIFE_MS;
    if (isHopeless) return this.#onGivenUp(`${label} ended with code ${code}.`);
    console.log(`${label} ended (${signal ?? `code ${code}`}); starting it again`);
    await pause(RESTART_DELAY_MS);
    if (!this.#isStopping) this.start();
  }
}
