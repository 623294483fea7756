import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "#tooling/free-ports.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";

const AGENTS = fileURLToPath(new URL("agents", import.meta.url));
const PRINTED = /^printed page (\d+)$/gm;

/** The processes that the demonstration starts and kills. */
export interface DemoServers extends AsyncDisposable {
  readonly url: string;
  /** Kills the process that executes the run, without warning, and starts it again. Returns its name and id. */
  kill(): Promise<string>;
  /** The pages that were printed, by all processes together. */
  printed(): readonly number[];
}

/** The server in one process, with its stores in a folder. */
export class OneServer implements DemoServers {
  readonly url: string;
  readonly #port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "kill-demo-"));
  readonly #processes: CliProcess[] = [];

  private constructor(port: number) {
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<OneServer> {
    const server = new OneServer(await freePort());
    await server.#start().until(/ready/);
    return server;
  }

  async kill(): Promise<string> {
    const process = this.#processes.at(-1);
    await process?.end("SIGKILL");
    this.#start();
    return `the server, process ${process?.child.pid}`;
  }

  printed(): readonly number[] {
    return printedBy(this.#processes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((process) => process[Symbol.asyncDispose]()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): CliProcess {
    const environment = { DEV_UI: "false", DATA_DIR: this.#folder };
    const process = new CliProcess(["serve", AGENTS, "--port", String(this.#port)], { environment });
    this.#processes.push(process);
    return process;
  }
}

/** The six services as processes, with two runners and Redis. */
export class SixServices implements DemoServers {
  readonly #world: PlatformWorld;
  /** Of the runners, those that were killed included. */
  readonly #processes: CliProcess[];

  private constructor(world: PlatformWorld) {
    this.#world = world;
    this.#processes = [world.process("runner", 0), world.process("runner", 1)];
  }

  static async start(): Promise<SixServices> {
    const settings = { AGENTS_DIR: AGENTS, LEASE_MS: "2000" };
    await using stack = new AsyncDisposableStack();
    const world = stack.use(await PlatformWorld.create({ replicas: { runner: 2 }, settings }));
    world.startAll();
    await world.untilReady();
    stack.move();
    return new SixServices(world);
  }

  get url(): string {
    return this.#world.url;
  }

  async kill(): Promise<string> {
    // The runner with the run prints its pages.
    const replica = this.#world.process("runner", 0).output.includes("printed") ? 0 : 1;
    const { pid } = this.#world.process("runner", replica).child;
    await this.#world.kill("runner", replica);
    this.#processes.push(this.#world.start("runner", replica));
    return `runner ${replica + 1} of 2, process ${pid}`;
  }

  printed(): readonly number[] {
    return printedBy(this.#processes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]();
  }
}

function printedBy(processes: readonly CliProcess[]): readonly number[] {
  return processes.flatMap(({ output }) => [...output.matchAll(PRINTED)].map(([, page]) => Number(page)));
}
