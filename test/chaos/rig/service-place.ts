import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const READY_WITHIN_MS = 100_000;
/** Longer than a service takes to drain. */
const END_WITHIN_MS = 20_000;

export type ChaosService = "gateway" | "runner" | "session" | "artifact" | "eval" | "memory";

export interface PlaceOptions {
  readonly service: ChaosService;
  readonly index: number;
  /** The port of /health, /ready and /metrics. */
  readonly adminPort: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** Resources of a process, as the system counts them. */
export interface Footprint {
  readonly descriptors: number;
  readonly residentBytes: number;
}

/** One replica of a service, whose process can be replaced. */
export class ServicePlace implements AsyncDisposable {
  readonly #options: PlaceOptions;
  #process: CliProcess | undefined;
  #isExpectedToEnd = false;
  #isFrozen = false;
  /** Output of the processes before the present one. */
  #earlierOutput = "";
  /** Unexpected ends. */
  readonly unexpectedEnds: string[] = [];
  /** The time of the running process when it was ready first. */
  baseline: Footprint | undefined;

  constructor(options: PlaceOptions) {
    this.#options = options;
  }

  get label(): string {
    return `${this.#options.service} ${this.#options.index}`;
  }

  get service(): ChaosService {
    return this.#options.service;
  }

  get pid(): number | undefined {
    return this.#process?.child.pid;
  }

  get isAlive(): boolean {
    const child = this.#process?.child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  get #foundPortTaken(): boolean {
    return this.#process?.output.includes(" is in use.") === true;
  }

  get output(): string {
    return this.#earlierOutput + (this.#process?.output ?? "");
  }

  start(): void {
    if (this.isAlive) return;
    this.#earlierOutput = this.output;
    const { service, settings } = this.#options;
    const process = new CliProcess([service], { environment: settings });
    this.#process = process;
    this.#isExpectedToEnd = false;
    this.#isFrozen = false;
    this.baseline = undefined;
    void process.ended.then(([code, signal]) => {
      if (this.#process === process && !this.#isExpectedToEnd && !this.#foundPortTaken)
        this.unexpectedEnds.push(`${this.label} ended by itself (${String(signal ?? code)})`);
    });
  }

  /** SIGKILL, as when its machine is lost. */
  async kill(): Promise<void> {
    this.#isExpectedToEnd = true;
    await this.#process?.end("SIGKILL");
  }

  /** SIGTERM; returns the exit code. */
  async terminate(): Promise<number | null> {
    this.#isExpectedToEnd = true;
    if (this.#process === undefined) return null;
    const { child } = this.#process;
    const timer = setTimeout(() => child.kill("SIGKILL"), END_WITHIN_MS);
    const code = await this.#process.end("SIGTERM");
    clearTimeout(timer);
    return code;
  }

  freeze(): void {
    if (!this.isAlive) return;
    this.#process?.child.kill("SIGSTOP");
    this.#isFrozen = true;
  }

  thaw(): void {
    if (this.#isFrozen) this.#process?.child.kill("SIGCONT");
    this.#isFrozen = false;
  }

  async untilReady(): Promise<void> {
    const url = `http://127.0.0.1:${this.#options.adminPort}/ready`;
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    for (;;) {
      if (await isOk(url)) break;
      // Another program's connection may use the port for a moment.
      if (!this.isAlive && this.#foundPortTaken) this.start();
      if (!this.isAlive || performance.now() > giveUpAt)
        throw new Error(`${this.label} is not ready:\n${this.output.slice(-2000)}`);
      await pause(100);
    }
    this.baseline ??= this.footprint();
  }

  /** Undefined on systems that do not report it. */
  footprint(): Footprint | undefined {
    if (this.pid === undefined || !this.isAlive) return undefined;
    try {
      const descriptors = readdirSync(`/proc/${this.pid}/fd`).length;
      const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))?.[1];
      return { descriptors, residentBytes: Number(resident ?? 0) * 1024 };
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isExpectedToEnd = true;
    this.thaw();
    await this.#process?.[Symbol.asyncDispose]();
  }
}

async function isOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}
