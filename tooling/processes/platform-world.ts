import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PostgresServer } from "#tooling/emulators/postgres-server.ts";
import { RedisServer } from "#tooling/emulators/redis-server.ts";
import { freePorts } from "#tooling/free-ports.ts";
import { type SecretSettings, writeServiceSecrets } from "#tooling/service-secrets.ts";
import { CliProcess } from "./cli-process.ts";
import { FaultProxy } from "./fault-proxy.ts";

export const PLATFORM_SERVICES = ["gateway", "runner", "session", "artifact", "memory", "eval"] as const;
export type PlatformService = (typeof PLATFORM_SERVICES)[number];

const AGENTS = fileURLToPath(new URL("../agents", import.meta.url));
/** A busy machine takes a minute to start nine processes. */
const MAX_WAIT_MS = 120_000;
const LOOK_EVERY_MS = 50;

/** The answer of /ready. */
export interface ReadyAnswer {
  readonly status: string;
  readonly notReady?: readonly string[];
  readonly unavailable?: readonly string[];
}

interface Process {
  readonly service: PlatformService;
  readonly admin: number;
  readonly grpc: number;
  readonly link?: FaultProxy;
  process: CliProcess | undefined;
}

export interface PlatformWorldOptions {
  /** Number of replicas of the service; 1 if absent. */
  readonly replicas?: Partial<Readonly<Record<PlatformService, number>>>;
  /** Settings of every service, which replace those of this world. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Carries the streams; Redis if absent. With Postgres there is no Redis. */
  readonly transport?: "redis" | "postgres";
  /** Services that others reach by a link that can be given a fault. */
  readonly linked?: readonly PlatformService[];
}

/** The six services as processes with stores in files, and a Redis or a Postgres for the streams. Only that is started. */
export class PlatformWorld implements AsyncDisposable {
  readonly #carrier: RedisServer | PostgresServer;
  readonly #folder: string;
  readonly #processes: readonly Process[];
  readonly #options: PlatformWorldOptions;
  readonly #secrets: SecretSettings;

  private constructor(
    carrier: RedisServer | PostgresServer,
    processes: readonly Process[],
    options: PlatformWorldOptions,
  ) {
    this.#carrier = carrier;
    this.#processes = processes;
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), "platform-"));
    this.#secrets = writeServiceSecrets(join(this.#folder, "secrets"));
  }

  static async create(options: PlatformWorldOptions = {}): Promise<PlatformWorld> {
    const { replicas = {} } = options;
    const services = PLATFORM_SERVICES.flatMap((service) =>
      Array<PlatformService>(replicas[service] ?? 1).fill(service),
    );
    const ports = await freePorts(services.length * 2);
    const processes = await Promise.all(
      services.map(async (service, index): Promise<Process> => {
        const grpc = ports[index * 2] ?? 0;
        const link = options.linked?.includes(service) ? { link: await FaultProxy.to(grpc) } : {};
        return { service, grpc, admin: ports[index * 2 + 1] ?? 0, process: undefined, ...link };
      }),
    );
    const carrier = await (options.transport === "postgres" ? PostgresServer.start() : RedisServer.start());
    return new PlatformWorld(carrier, processes, options);
  }

  /** The process id of Redis or Postgres. */
  get carrierPid(): number | undefined {
    return this.#carrier.pid;
  }

  get redis(): RedisServer {
    if (this.#carrier instanceof RedisServer) return this.#carrier;
    throw new Error("This world has no Redis: Postgres carries the streams.");
  }

  get postgres(): PostgresServer {
    if (this.#carrier instanceof PostgresServer) return this.#carrier;
    throw new Error("This world has no Postgres: Redis carries the streams.");
  }

  /** The URL of the gateway. */
  get url(): string {
    return this.urlOf(0);
  }

  /** The URL of one of several gateways. */
  urlOf(replica: number): string {
    return `http://127.0.0.1:${this.#find("gateway", replica).admin}`;
  }

  /** The address of the service's first process for probes and scrapers. */
  adminUrl(service: PlatformService): string {
    return `http://127.0.0.1:${this.#find(service, 0).admin}`;
  }

  start(service: PlatformService, replica = 0, settings: Readonly<Record<string, string>> = {}): CliProcess {
    const place = this.#find(service, replica);
    const environment = { ...this.#settingsOf(place), ...settings };
    const process = new CliProcess([service], { environment });
    place.process = process;
    return process;
  }

  startAll(): void {
    for (const [index, { service }] of this.#processes.entries()) this.start(service, this.#replicaAt(index));
  }

  /** The process of the service that was started last. */
  process(service: PlatformService, replica = 0): CliProcess {
    const { process } = this.#find(service, replica);
    if (process === undefined) throw new Error(`The ${service} service was not started.`);
    return process;
  }

  async kill(service: PlatformService, replica = 0): Promise<void> {
    await this.process(service, replica).end("SIGKILL");
  }

  /** The link to the service's first process. */
  link(service: PlatformService): FaultProxy {
    const { link } = this.#find(service, 0);
    if (link === undefined) throw new Error(`The ${service} service has no link of its own.`);
    return link;
  }

  /** The settings by which the service authenticates itself and its callers. */
  secretsOf(service: PlatformService): Readonly<Record<string, string>> {
    return this.#secrets(service);
  }

  /** The environment of the service's first process. */
  environmentOf(service: PlatformService): Readonly<Record<string, string>> {
    return this.#settingsOf(this.#find(service, 0));
  }

  /** The address where the service answers gRPC. */
  grpcPort(service: PlatformService): number {
    return this.#find(service, 0).grpc;
  }

  /** The readiness that the service reports; undefined while it does not answer. */
  async readiness(service: PlatformService, replica = 0): Promise<ReadyAnswer | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.#find(service, replica).admin}/ready?verbose`);
      // The form of the answer.
      return (await response.json()) as ReadyAnswer;
    } catch {
      return undefined;
    }
  }

  async untilReady(): Promise<void> {
    for (const [index, { service, process }] of this.#processes.entries()) {
      if (process === undefined) continue;
      await this.#until(service, this.#replicaAt(index), isWhole);
    }
  }

  async untilNotReady(service: PlatformService, ...parts: readonly string[]): Promise<void> {
    const names = parts.join();
    await this.#until(service, 0, (answer) => answer?.notReady?.join() === names);
  }

  /** Resolves when the service takes traffic and reports that these parts do not answer. */
  async untilUnavailable(service: PlatformService, ...parts: readonly string[]): Promise<void> {
    const names = parts.join();
    await this.#until(service, 0, (answer) => answer?.status === "ready" && answer.unavailable?.join() === names);
  }

  /** Works in hooks too, unlike the test runner's own. */
  async #until(service: PlatformService, replica: number, is: (answer: ReadyAnswer | undefined) => boolean) {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const answer = await this.readiness(service, replica);
      if (is(answer)) return;
      const { exitCode, signalCode } = this.process(service, replica).child;
      if (exitCode !== null || signalCode !== null || performance.now() > giveUpAt) {
        throw new Error(`${service} ${replica} answers ${JSON.stringify(answer)}:\n${this.#outputs()}`);
      }
      await setTimeout(LOOK_EVERY_MS);
    }
  }

  /** What every process printed: a service is often not ready because of another one. */
  #outputs(): string {
    const started = this.#processes.flatMap(({ service, grpc, process }) =>
      process === undefined ? [] : [`--- ${service} at ${grpc}\n${process.output}`],
    );
    return started.join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map(({ process }) => process?.[Symbol.asyncDispose]()));
    await Promise.all(this.#processes.map(({ link }) => link?.[Symbol.asyncDispose]()));
    await this.#carrier[Symbol.asyncDispose]();
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
      const ports = this.#processes
        .filter((process) => process.service === name)
        .map((process) => process.link?.port ?? process.grpc);
      return [`${name.toUpperCase()}_SERVICE_ADDRESS`, `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(",")}`];
    });
    return {
      ...Object.fromEntries(addresses),
      ...(this.#carrier instanceof PostgresServer
        ? { TRANSPORT: "postgres", DATABASE_URL: this.#carrier.url() }
        : { REDIS_URL: this.#carrier.url }),
      AGENTS_DIR: AGENTS,
      DATA_DIR: join(this.#folder, service),
      PEER_CHECK_MS: "200",
      GRPC_PORT: String(grpc),
      ADMIN_PORT: String(admin),
      PORT: String(admin),
      DEV_UI: "false",
      ...this.#secrets(service),
      ...this.#options.settings,
    };
  }
}

/** A client of a sample app of the fixtures. */
export class PlatformClient {
  readonly #url: string;
  readonly #appName: string;
  readonly #userId: string;

  constructor(url: string, appName = "echo", userId = "ada") {
    this.#url = url;
    this.#appName = appName;
    this.#userId = userId;
  }

  createSession(id: string): Promise<Response> {
    return fetch(this.#sessionUrl(id), { method: "POST" });
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
    return this.send(sessionId, { role: "user", parts: [{ text }] }, path, options);
  }

  send(
    sessionId: string,
    newMessage: object,
    path = "/run",
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<Response> {
    return this.post(path, { appName: this.#appName, userId: this.#userId, sessionId, newMessage, ...options });
  }

  /** What the agent answered. */
  async say(sessionId: string, text: string): Promise<string> {
    const response = await this.run(sessionId, text);
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    // The events of the run.
    const events = (await response.json()) as readonly WireEvent[];
    return events.map(textOf).join("|");
  }

  /** A short form of the session's events. */
  async conversation(sessionId: string): Promise<readonly string[]> {
    const response = await fetch(this.#sessionUrl(sessionId));
    // The form of the gateway's answer.
    const { events } = (await response.json()) as { readonly events: readonly WireEvent[] };
    return events.map((event) => `${event.author}: ${textOf(event)}`);
  }

  #sessionUrl(id: string): string {
    return `${this.#url}/apps/${this.#appName}/users/${this.#userId}/sessions/${id}`;
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

/** Whether the process takes traffic and everything that it needs answers. */
function isWhole(answer: ReadyAnswer | undefined): boolean {
  return answer?.status === "ready" && answer.unavailable?.length === 0;
}
