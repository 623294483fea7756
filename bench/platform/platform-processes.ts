import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { PLATFORM_SERVICES, type PlatformService, PlatformWorld } from "#tooling/processes/platform-world.ts";
import { killAtExit } from "../kill-at-exit.ts";
import { cpuMicrosOf, cpuMicrosOfFamily, residentMegabytesOf } from "../process-figures.ts";
import type { Figures, MeasuredServer } from "../scenarios/scenario.ts";

/** All services share both cores with the client. */
const CORES = "0,1";
/** Services come before their callers. */
const START_ORDER: readonly PlatformService[] = PLATFORM_SERVICES.toReversed();
const LOOK_EVERY_MS = 5;
const START_TIMEOUT_MS = 60_000;

/** The six services as processes, with Redis or Postgres, and the sums of their figures. */
export class PlatformProcesses implements MeasuredServer, AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #world: PlatformWorld;
  readonly #readyMs: Readonly<Record<string, number>>;

  private constructor(stack: AsyncDisposableStack, world: PlatformWorld, readyMs: Readonly<Record<string, number>>) {
    this.#stack = stack;
    this.#world = world;
    this.#readyMs = readyMs;
  }

  /** `sessions`: the session service's store. Services start one after another, each when the ones before are ready. */
  static async start(
    sessions: "sqlite" | "memory" | "postgres" | "firestore",
    further: Readonly<Record<string, string>> = {},
    transport: "redis" | "postgres" = "redis",
  ): Promise<PlatformProcesses> {
    // Processes that are started from here inherit it.
    execFileSync("taskset", ["-a", "-cp", CORES, String(process.pid)], { stdio: "ignore" });
    const common = { AGENTS_DIR: "agents", LOG_LEVEL: "error", PEER_CHECK_MS: "2000", SESSION_STORE: sessions };
    const settings = { ...common, ...further };
    await using stack = new AsyncDisposableStack();
    const world = stack.use(await PlatformWorld.create({ settings, transport }));
    const killCarrier = (): void => {
      if (world.carrierPid !== undefined) process.kill(world.carrierPid, "SIGKILL");
    };
    process.once("exit", killCarrier);
    stack.defer(() => {
      process.off("exit", killCarrier);
    });
    const readyMs: Record<string, number> = {};
    for (const service of START_ORDER) {
      const startedAt = performance.now();
      killAtExit(world.start(service).child);
      await untilReady(world, service, startedAt);
      readyMs[service] = performance.now() - startedAt;
    }
    return new PlatformProcesses(stack.move(), world, readyMs);
  }

  get url(): string {
    return this.#world.url;
  }

  /** Start time of the slowest service. */
  get readyMs(): number {
    return Math.max(...Object.values(this.#readyMs));
  }

  cpuMicros(): number {
    return sum(this.cpuOfServices());
  }

  /** Of Redis or Postgres, all its processes. */
  cpuOfCarrier(): number {
    return cpuMicrosOfFamily(this.#world.carrierPid ?? 0);
  }

  residentMegabytes(): number {
    return sum(this.residentOfServices());
  }

  /** Start time and memory of each service. */
  figuresOfServices(): Figures {
    const resident = this.residentOfServices();
    return Object.fromEntries(
      START_ORDER.flatMap((service) => [
        [`${service} ready ms`, this.#readyMs[service] ?? Number.NaN],
        [`${service} RSS MB`, resident[service] ?? Number.NaN],
      ]),
    );
  }

  /** User and system time so far in µs, by service. */
  cpuOfServices(): Figures {
    return this.#each(cpuMicrosOf);
  }

  /** Resident memory in MB, by service. */
  residentOfServices(): Figures {
    return this.#each(residentMegabytesOf);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #each(figure: (pid: number) => number): Figures {
    return Object.fromEntries(
      START_ORDER.map((service) => [service, figure(this.#world.process(service).child.pid ?? 0)]),
    );
  }
}

async function untilReady(world: PlatformWorld, service: PlatformService, startedAt: number): Promise<void> {
  while (performance.now() - startedAt < START_TIMEOUT_MS) {
    if ((await world.readiness(service))?.status === "ready") return;
    const { child, output } = world.process(service);
    if (child.exitCode !== null) throw new Error(`${service} ended with code ${child.exitCode}:\n${output}`);
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`${service} was not ready after ${START_TIMEOUT_MS / 1000} s`);
}

function sum(figures: Figures): number {
  return Object.values(figures).reduce((total, figure) => total + figure, 0);
}
