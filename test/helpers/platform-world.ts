import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { CliProcess } from "./cli-process.ts";
import { freePorts } from "./free-ports.ts";
import { RedisServer } from "./redis-server.ts";

export const PLATFORM_SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval"] as const;
export type PlatformService = (typeof PLATFORM_SERVICES)[number];

const AGENTS = fileURLToPath(new URL("../fixtures/standalone-agents", import.meta.url));
/** A busy machine starts six processes in some seconds. */
const POLL = { timeout: 30_000, interval: 50 };

/** The answer of /ready. */
export interface ReadyAnswer {
  readonly status: string;
  readonly notReady?: readonly string[];
}

interface Process {
  readonly service: PlatformService;
  readonly admin: number;
  readonly grpc: number;
  process: CliProcess | undefined;
}

export interface PlatformWorldOptions {
  /** How many of the service there are; one when absent. */
  readonly replicas?: Partial<Readonly<Record<PlatformService, number>>>;
  /** Settings of every service, over those of this world. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The six services as processes with their stores in files, and a Redis of their own. Nothing is started but Redis. */
export class PlatformWorld implements AsyncDisposable {
  readonly redis: RedisServer;
  readonly #folder: string;
  readonly #processes: readonly Process[];
  readonly #settings: Readonly<Record<string, string>>;

  private constructor(redis: RedisServer, processes: readonly Process[], settings: Readonly<Record<string, string>>) {
    this.redis = redis;
    this.#processes = processes;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), "platform-"));
  }

  static async create({ replicas = {}, settings = {} }: PlatformWorldOptions = {}): Promise<PlatformWorld> {
    const services = PLATFORM_SERVICES.flatMap((service) =>
      Array<PlatformService>(replicas[service] ?? 1).fill(service),
    );
    const ports = await freePorts(services.length * 2);
    const processes = services.map((service, index): Process => {
      return { service, grpc: ports[index * 2] ?? 0, admin: ports[index * 2 + 1] ?? 0, process: undefined };
    });
    return new PlatformWorld(await RedisServer.start(), processes, settings);
  }

  /** Of the gateway. */
  get url(): string {
    return `http://127.0.0.1:${this.#find("gateway", 0).admin}`;
  }

  start(service: PlatformService, replica = 0): CliProcess {
    const place = this.#find(service, replica);
    const process = new CliProcess([], { script: `services/${service}/main.ts`, environment: this.#settingsOf(place) });
    place.process = process;
    return process;
  }

  startAll(): void {
    for (const [index, { service }] of this.#processes.entries()) this.start(service, this.#replicaAt(index));
  }

  /** The process that was started last for the service. */
  process(service: PlatformService, replica = 0): CliProcess {
    const { process } = this.#find(service, replica);
    if (process === undefined) throw new Error(`The ${service} service was not started.`);
    return process;
  }

  async kill(service: PlatformService, replica = 0): Promise<void> {
    await this.process(service, replica).end("SIGKILL");
  }

  /** What the service says of its readiness; undefined while it does not answer. */
  async readiness(service: PlatformService, replica = 0): Promise<ReadyAnswer | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.#find(service, replica).admin}/ready`);
      // The form of the answer.
      return (await response.json()) as ReadyAnswer;
    } catch {
      return undefined;
    }
  }

  async untilReady(): Promise<void> {
    for (const [index, { service, process }] of this.#processes.entries()) {
      if (process === undefined) continue;
      const replica = this.#replicaAt(index);
      const told = (): string => `${service} is not ready:\n${process.output}`;
      await expect
        .poll(() => this.readiness(service, replica), { ...POLL, message: told() })
        .toEqual({ status: "ready" });
    }
  }

  async untilNotReady(service: PlatformService, ...parts: readonly string[]): Promise<void> {
    const answer = { status: "not ready", notReady: parts };
    await expect.poll(() => this.readiness(service), POLL).toEqual(answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map(({ process }) => process?.[Symbol.asyncDispose]()));
    await this.redis[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #find(service: PlatformService, replica: number): Process {
    const found = this.#processes.filter((process) => process.service === service)[replica];
    if (found === undefined) throw new Error(`There is no ${service} ${replica}.`);
    return found;
  }

  #replicaAt(index: number): number {
    const service = this.#processes[index]?.service;
    return this.#processes.slice(0, index).filter((process) => process.service === service).length;
  }

  #settingsOf({ service, grpc, admin }: Process): Readonly<Record<string, string>> {
    const addresses = PLATFORM_SERVICES.map((name): [string, string] => {
      const ports = this.#processes.filter((process) => process.service === name).map((process) => process.grpc);
      return [`${name.toUpperCase()}_SERVICE_ADDRESS`, `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(",")}`];
    });
    return {
      ...Object.fromEntries(addresses),
      REDIS_URL: this.redis.url,
      AGENTS_DIR: AGENTS,
      DATA_DIR: join(this.#folder, service),
      PEER_CHECK_MS: "200",
      GRPC_PORT: String(grpc),
      ADMIN_PORT: String(admin),
      PORT: String(admin),
      DEV_UI: "false",
      ...this.#settings,
    };
  }
}

/** Clients of the sample app of the fixtures. */
export class PlatformClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  createSession(id: string): Promise<Response> {
    return fetch(`${this.#url}/apps/echo/users/ada/sessions/${id}`, { method: "POST" });
  }

  post(path: string, body: unknown): Promise<Response> {
    const headers = { "content-type": "application/json" };
    return fetch(this.#url + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  run(
    sessionId: string,
    text: string,
    path = "/run",
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<Response> {
    const newMessage = { role: "user", parts: [{ text }] };
    return this.post(path, { appName: "echo", userId: "ada", sessionId, newMessage, ...options });
  }

  /** What the agent answered. */
  async say(sessionId: string, text: string): Promise<string> {
    const response = await this.run(sessionId, text);
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    // The events of the run.
    const events = (await response.json()) as readonly WireEvent[];
    return events.map(textOf).join("|");
  }

  /** What the session holds, in short. */
  async conversation(sessionId: string): Promise<readonly string[]> {
    const response = await fetch(`${this.#url}/apps/echo/users/ada/sessions/${sessionId}`);
    // The session as the gateway answers it.
    const { events } = (await response.json()) as { readonly events: readonly WireEvent[] };
    return events.map((event) => `${event.author}: ${textOf(event)}`);
  }
}

interface WireEvent {
  readonly author: string;
  readonly content?: { readonly parts: readonly { readonly text: string }[] };
  readonly errorCode?: string;
}

function textOf({ content, errorCode }: WireEvent): string {
  return content?.parts[0]?.text ?? `${errorCode}`;
}
