import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startBackends } from "../../deploy/platform/backends.ts";
import { parseOptions } from "../../deploy/platform/options.ts";
import { type PlannedService, planServices } from "../../deploy/platform/plan.ts";
import { writeServiceSecrets } from "../../test/helpers/service-secrets.ts";
import { cpuMicrosOf, residentMegabytesOf } from "../process-figures.ts";
import type { Figures, MeasuredServer } from "../scenarios.ts";

const ROOT = join(import.meta.dirname, "../..");
/** All services share both cores with the client. */
const CORES = "0,1";
const LOOK_EVERY_MS = 5;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

interface Started {
  readonly service: PlannedService;
  readonly child: ChildProcess;
  readonly startedAt: number;
  readyMs: number | undefined;
}

/** The six services as processes, with Redis, and their figures together. */
export class PlatformProcesses implements MeasuredServer, AsyncDisposable {
  readonly url: string;
  readonly #services: readonly Started[];
  readonly #stack: AsyncDisposableStack;

  private constructor(services: readonly Started[], stack: AsyncDisposableStack) {
    this.#services = services;
    this.#stack = stack;
    this.url = services.find(({ service }) => service.name === "gateway")?.service.adminUrl ?? "";
  }

  /** `sessions`: where the session service keeps them. Services start one after another, each when the ones before are ready. */
  static async start(sessions: "sqlite" | "memory"): Promise<PlatformProcesses> {
    await using stack = new AsyncDisposableStack();
    const dataDir = mkdtempSync(join(tmpdir(), "agentplane-bench-"));
    stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const options = parseOptions(["--stores=sqlite", "--port=0", "--log-level=error"]);
    if (options === "help") throw new Error("these options ask for no help");
    const backends = stack.use(await startBackends(options));
    const secrets = writeServiceSecrets(join(dataDir, "secrets"));
    const plan = await planServices(options, { backends: backends.settings, dataDir, secrets });
    const services: Started[] = [];
    for (const service of plan) {
      const settings = service.name === "session" ? { ...service.settings, SESSION_STORE: sessions } : service.settings;
      const started = startService(service, settings);
      stack.defer(() => stop(started.child));
      services.push(started);
      await untilReady(started);
    }
    return new PlatformProcesses(services, stack.move());
  }

  /** Of the slowest service. */
  get readyMs(): number {
    return Math.max(...this.#services.map(({ readyMs = Number.NaN }) => readyMs));
  }

  cpuMicros(): number {
    return this.#sum(cpuMicrosOf);
  }

  residentMegabytes(): number {
    return this.#sum(residentMegabytesOf);
  }

  /** What each service takes to start and to be there. */
  figuresOfServices(): Figures {
    return Object.fromEntries(
      this.#services.flatMap(({ service, child, readyMs = Number.NaN }) => [
        [`${service.label} ready ms`, readyMs],
        [`${service.label} RSS MB`, residentMegabytesOf(child.pid ?? 0)],
      ]),
    );
  }

  /** Resident memory in MB, by service. */
  residentOfServices(): Figures {
    return Object.fromEntries(
      this.#services.map(({ service, child }) => [service.label, residentMegabytesOf(child.pid ?? 0)]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #sum(figure: (pid: number) => number): number {
    return this.#services.reduce((total, { child }) => total + figure(child.pid ?? 0), 0);
  }
}

function startService(service: PlannedService, settings: Readonly<Record<string, string>>): Started {
  const child = spawn("taskset", ["-c", CORES, process.execPath, `services/${service.name}/main.ts`], {
    cwd: ROOT,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return { service, child, startedAt: performance.now(), readyMs: undefined };
}

async function untilReady(started: Started): Promise<void> {
  const { service, child, startedAt } = started;
  while (performance.now() - startedAt < START_TIMEOUT_MS) {
    if (child.exitCode !== null) throw new Error(`${service.label} ended with code ${child.exitCode}`);
    const answer = await fetch(`${service.adminUrl}/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) {
      started.readyMs = performance.now() - startedAt;
      return;
    }
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`${service.label} was not ready after ${START_TIMEOUT_MS / 1000} s`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(force);
}
