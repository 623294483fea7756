import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";

const PROGRAM = "redis-server";
const START_ATTEMPTS = 5;

export interface RedisServerOptions {
  /** Starts it in its own process group, which a Ctrl-C at the terminal does not reach; the caller has to stop it. */
  readonly detached?: boolean;
}

/** A real Redis on a free loopback port, which stores nothing on disk. */
export class RedisServer implements AsyncDisposable {
  /** Does not change when the server is started again. */
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  readonly #options: RedisServerOptions;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string, args: readonly string[], options: RedisServerOptions) {
    this.port = port;
    this.#folder = folder;
    this.#args = args;
    this.#options = options;
  }

  static async start(args: readonly string[] = [], options: RedisServerOptions = {}): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), "redis-"));
    for (let attempt = 1; ; attempt += 1) {
      const server = new RedisServer(await freePort(), folder, args, options);
      try {
        await server.start();
        return server;
      } catch (error) {
        // Another process has taken the port in the meantime.
        if (attempt === START_ATTEMPTS) throw error;
      }
    }
  }

  /** Makes it a cluster of one node that has all slots. */
  static async startCluster(): Promise<RedisServer> {
    const server = await RedisServer.start([
      ...["--cluster-enabled", "yes", "--cluster-port", `${await freePort()}`],
      ...["--cluster-announce-ip", "127.0.0.1"],
    ]);
    const redis = new Redis(server.port, "127.0.0.1");
    try {
      await redis.cluster("ADDSLOTSRANGE", 0, 16_383);
      while (!(await redis.cluster("INFO")).includes("cluster_state:ok")) await setTimeout(10);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    } finally {
      redis.disconnect();
    }
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const settings = { port: this.port, bind: "127.0.0.1", dir: this.#folder, save: "", appendonly: "no" };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    const child = spawn(PROGRAM, [...args, ...this.#args], {
      ...this.#options,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = child;
    child.stdout.setEncoding("utf8");
    let output = "";
    const ended = once(child, "close");
    while (!output.includes("Ready to accept connections")) {
      const [text] = await Promise.race([once(child.stdout, "data"), ended]);
      if (child.exitCode !== null) throw new Error(`redis-server ended: ${output}`);
      output += String(text);
    }
    child.stdout.resume();
  }

  /** Kills it, as when its machine is lost; its data are lost. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Returns why no Redis can be started here and what installs it, or undefined if one can. */
export function redisMissing(): string | undefined {
  if (spawnSync(PROGRAM, ["--version"]).status === 0) return undefined;
  return "there is no redis-server on the PATH (apt-get install redis-server).";
}

/** Returns why tests that need Redis cannot run, and reports it once; undefined if they can. */
export function whyNoRedis(): string | undefined {
  const reason = redisMissing();
  if (reason !== undefined) skipFor("Redis", reason);
  return reason;
}
