import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type FirestoreEmulator, startFirestoreEmulator } from "#tooling/emulators/firestore-emulator.ts";
import { RedisServer } from "#tooling/emulators/redis-server.ts";
import { freePorts } from "#tooling/free-ports.ts";
import { FaultProxy, type LinkFault } from "#tooling/processes/fault-proxy.ts";
import { writeCredentialKeys } from "#tooling/service-secrets.ts";
import { AskingServer } from "./asking-server.ts";
import { FaultLog } from "./fault-log.ts";
import { JudgeServer } from "./judge-server.ts";
import { PostgresPlace } from "./postgres-place.ts";
import { RemotePeer } from "./remote-peer.ts";
import { type ChaosService, ServicePlace } from "./service-place.ts";

const AGENTS = fileURLToPath(new URL("../../fixtures/chaos-agents", import.meta.url));

export const LEASE_MS = 2500;
export const EVAL_LEASE_MS = 5000;
/** The longest time for which a run may have no holder, with a margin for a busy machine. */
export const RECOVERY_MS = 2 * LEASE_MS + 15_000;

export const EDGES = [
  "client-gateway",
  "gateway-runner",
  "gateway-session",
  "runner-session",
  "gateway-redis",
  "runner-redis",
  "to-database",
  "to-artifact",
] as const;
export type Edge = (typeof EDGES)[number];

export const CHAOS_STORES = ["firestore", "postgres", "sqlite"] as const;
export type ChaosStore = (typeof CHAOS_STORES)[number];

export interface RigOptions {
  /** A database with two session services, or SQLite with one. */
  readonly store: ChaosStore;
  readonly settings?: Readonly<Record<string, string>>;
  /** With evaluation services, two on a database and one on files, and a judge. */
  readonly evaluations?: boolean;
  /** With a memory service. */
  readonly memory?: boolean;
}

/** Whether the store is a database that several processes share. */
export function isDatabase(store: ChaosStore): boolean {
  return store !== "sqlite";
}

interface Ports {
  readonly service: ChaosService;
  readonly index: number;
  readonly grpc: number;
  readonly admin: number;
}

interface Parts {
  readonly redis: RedisServer;
  readonly asking: AskingServer;
  readonly judge: JudgeServer;
  readonly peer: RemotePeer;
  readonly firestore: FirestoreEmulator | undefined;
  readonly postgres: PostgresPlace | undefined;
  readonly links: ReadonlyMap<Edge, readonly FaultProxy[]>;
  readonly places: readonly ServicePlace[];
  readonly ports: readonly Ports[];
  readonly folder: string;
}

/**
 * The platform as processes: two gateways, two runners, two session services (one on SQLite), an artifact service,
 * evaluation and memory services if wanted, Redis and an MCP server, with a link that can be given faults on every edge between the services and to the stores.
 */
export class ChaosRig implements AsyncDisposable {
  readonly options: RigOptions;
  readonly faults = new FaultLog();
  readonly #parts: Parts;

  private constructor(options: RigOptions, parts: Parts) {
    this.options = options;
    this.#parts = parts;
  }

  static async start(options: RigOptions): Promise<ChaosRig> {
    await using stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "chaos-"));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const redis = stack.use(await RedisServer.start());
    const asking = stack.use(await AskingServer.start());
    const peer = stack.use(await RemotePeer.start());
    const judge = stack.use(await JudgeServer.start(join(folder, "questions")));
    const firestore = options.store === "firestore" ? stack.use(await startFirestoreEmulator()) : undefined;
    const postgres = options.store === "postgres" ? stack.use(await PostgresPlace.start()) : undefined;
    const database = firestore === undefined ? postgres?.port : Number(firestore.host.split(":")[1]);
    const ports = await assignPorts(options);
    const links = await openLinks(ports, redis.port, database);
    for (const proxies of links.values()) for (const proxy of proxies) stack.use(proxy);
    const places = ports.map(
      (place) =>
        new ServicePlace({
          service: place.service,
          index: place.index,
          adminPort: place.admin,
          settings: settingsOf(place, { options, ports, links, folder, asking, judge, peer }),
        }),
    );
    for (const place of places) stack.use(place);
    writeFileSync(join(folder, "log"), "");
    const rig = new ChaosRig(options, {
      redis,
      asking,
      judge,
      peer,
      firestore,
      postgres,
      links,
      places,
      ports,
      folder,
    });
    await rig.startAll();
    rig.#stack = stack.move();
    return rig;
  }

  #stack: AsyncDisposableStack | undefined;

  get redis(): RedisServer {
    return this.#parts.redis;
  }

  /** The MCP server of the agent `asking`. */
  get asking(): AskingServer {
    return this.#parts.asking;
  }

  /** The remote agent of the agent `remote`. */
  get peer(): RemotePeer {
    return this.#parts.peer;
  }

  get judge(): JudgeServer {
    return this.#parts.judge;
  }

  /** The folder of a service's data. */
  dataFolder(service: ChaosService): string {
    return join(this.#parts.folder, service);
  }

  /** Address of the emulator for stores that a test opens itself, without links. */
  get firestoreHost(): string | undefined {
    return this.#parts.firestore?.host;
  }

  get postgres(): PostgresPlace {
    const { postgres } = this.#parts;
    if (postgres === undefined) throw new Error(`The store is ${this.options.store}.`);
    return postgres;
  }

  /** Address of a session service, without links. */
  get sessionPort(): number {
    return this.#parts.ports.find(({ service }) => service === "session")?.grpc ?? 0;
  }

  get places(): readonly ServicePlace[] {
    return this.#parts.places;
  }

  /** File to which models and tools of the agents write. */
  get logFile(): string {
    return join(this.#parts.folder, "log");
  }

  /** The actions of models and tools: `<pid> <what> <tag>`. */
  logLines(): readonly string[] {
    return readFileSync(this.logFile, "utf8").split("\n").slice(0, -1);
  }

  replicas(service: ChaosService): readonly ServicePlace[] {
    return this.places.filter((place) => place.service === service);
  }

  place(service: ChaosService, index: number): ServicePlace {
    const place = this.replicas(service)[index];
    if (place === undefined) throw new Error(`There is no ${service} ${index}.`);
    return place;
  }

  gatewayUrl(index: number): string {
    return `http://127.0.0.1:${this.link("client-gateway", index).port}`;
  }

  link(edge: Edge, index = 0): FaultProxy {
    const proxy = this.#parts.links.get(edge)?.[index];
    if (proxy === undefined) throw new Error(`There is no link ${edge} ${index}.`);
    return proxy;
  }

  /** Gives a fault to all links of the edge, or to the named one. */
  disturb(edge: Edge, fault: LinkFault, index?: number): void {
    for (const proxy of this.#linksOf(edge, index)) proxy.set(fault);
    this.faults.add(`${edge} ${fault.kind}`);
  }

  reset(edge: Edge, index?: number): void {
    for (const proxy of this.#linksOf(edge, index)) proxy.reset();
    this.faults.add(`${edge} reset`);
  }

  heal(edge: Edge, index?: number): void {
    for (const proxy of this.#linksOf(edge, index)) proxy.heal();
  }

  async kill(service: ChaosService, index: number): Promise<void> {
    this.faults.add(`${service} killed`);
    await this.place(service, index).kill();
  }

  async terminate(service: ChaosService, index: number): Promise<number | null> {
    this.faults.add(`${service} terminated`);
    return this.place(service, index).terminate();
  }

  freeze(service: ChaosService, index: number): void {
    this.faults.add(`${service} frozen`);
    this.place(service, index).freeze();
  }

  /** The database stops answering, and keeps its data and its connections. */
  freezeDatabase(): void {
    this.faults.add(`${this.options.store} frozen`);
    this.#parts.postgres?.freeze();
    this.#signalFirestore("SIGSTOP");
  }

  thawDatabase(): void {
    this.#parts.postgres?.thaw();
    this.#signalFirestore("SIGCONT");
  }

  async restart(service: ChaosService, index: number): Promise<void> {
    const place = this.place(service, index);
    place.start();
    await place.untilReady();
  }

  /** Restarts Redis without its data. */
  async restartRedis(awayMs: number): Promise<void> {
    this.faults.add("redis restarted");
    await this.redis.stop();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    await this.redis.start();
  }

  /** Everything runs and no link has a fault. */
  async restore(): Promise<void> {
    for (const edge of EDGES) this.heal(edge);
    for (const place of this.places) place.thaw();
    this.thawDatabase();
    await this.#parts.postgres?.restore();
    if (this.redis.pid === undefined) await this.redis.start();
    await this.startAll();
  }

  async startAll(): Promise<void> {
    for (const place of this.places) place.start();
    await Promise.all(this.places.map((place) => place.untilReady()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const edge of EDGES) this.heal(edge);
    this.thawDatabase();
    await Promise.all(this.places.map((place) => place[Symbol.asyncDispose]()));
    await this.#stack?.disposeAsync();
  }

  #signalFirestore(signal: "SIGSTOP" | "SIGCONT"): void {
    const pid = this.#parts.firestore?.pid;
    if (pid !== undefined) process.kill(pid, signal);
  }

  #linksOf(edge: Edge, index: number | undefined): readonly FaultProxy[] {
    return index === undefined ? (this.#parts.links.get(edge) ?? []) : [this.link(edge, index)];
  }
}

async function assignPorts({ store, evaluations = false, memory = false }: RigOptions): Promise<readonly Ports[]> {
  const stored = isDatabase(store) ? 2 : 1;
  const services: readonly (readonly [ChaosService, number])[] = [
    ["session", stored],
    ["artifact", 1],
    ["eval", evaluations ? stored : 0],
    ["memory", memory ? 1 : 0],
    ["runner", 2],
    ["gateway", 2],
  ];
  const places = services.flatMap(([service, count]) =>
    Array.from({ length: count }, (_, index) => ({ service, index })),
  );
  const free = await freePorts(places.length * 2);
  return places.map((place, at) => ({ ...place, grpc: free[at * 2] ?? 0, admin: free[at * 2 + 1] ?? 0 }));
}

async function openLinks(
  ports: readonly Ports[],
  redisPort: number,
  databasePort: number | undefined,
): Promise<ReadonlyMap<Edge, readonly FaultProxy[]>> {
  const of = (service: ChaosService): readonly number[] =>
    ports.filter((place) => place.service === service).map(({ grpc, admin }) => (service === "gateway" ? admin : grpc));
  const targets: Readonly<Record<Edge, readonly number[]>> = {
    "client-gateway": of("gateway"),
    "gateway-runner": of("runner"),
    "gateway-session": of("session"),
    "runner-session": of("session"),
    "gateway-redis": [redisPort],
    "runner-redis": [redisPort],
    "to-database": databasePort === undefined ? [] : [databasePort],
    "to-artifact": of("artifact"),
  };
  const opened = EDGES.map(async (edge) => [edge, await Promise.all(targets[edge].map(FaultProxy.to))] as const);
  return new Map(await Promise.all(opened));
}

interface Wiring {
  readonly options: RigOptions;
  readonly ports: readonly Ports[];
  readonly links: ReadonlyMap<Edge, readonly FaultProxy[]>;
  readonly folder: string;
  readonly asking: AskingServer;
  readonly judge: JudgeServer;
  readonly peer: RemotePeer;
}

function settingsOf(place: Ports, wiring: Wiring): Readonly<Record<string, string>> {
  const { options, links, folder, asking, judge, peer } = wiring;
  const { service, grpc, admin } = place;
  const direct = (called: ChaosService): string => {
    const found = wiring.ports.filter((each) => each.service === called).map((each) => `127.0.0.1:${each.grpc}`);
    // A service that no test of the rig needs.
    return `ipv4:${found.length > 0 ? found.join(",") : "127.0.0.1:1"}`;
  };
  const ports = (edge: Edge): readonly number[] => links.get(edge)?.map(({ port }) => port) ?? [];
  const target = (edge: Edge): string =>
    `ipv4:${ports(edge)
      .map((port) => `127.0.0.1:${port}`)
      .join(",")}`;
  const caller = service === "gateway" ? "gateway" : "runner";
  return {
    AGENTS_DIR: AGENTS,
    DATA_DIR: join(folder, service),
    GRPC_PORT: String(grpc),
    ADMIN_PORT: String(admin),
    PORT: String(admin),
    RUNNER_SERVICE_ADDRESS: target("gateway-runner"),
    SESSION_SERVICE_ADDRESS: target(`${caller}-session`),
    ARTIFACT_SERVICE_ADDRESS: target("to-artifact"),
    MEMORY_SERVICE_ADDRESS: direct("memory"),
    EVAL_SERVICE_ADDRESS: direct("eval"),
    EVAL_STORE: isDatabase(options.store) ? options.store : "files",
    EVAL_JUDGE_MODELS: "openai/judge",
    EVAL_LEASE_MS: String(EVAL_LEASE_MS),
    OPENAI_BASE_URL: judge.urlFor(place.index),
    OPENAI_API_KEY: "none",
    REDIS_URL: `redis://127.0.0.1:${ports(`${caller}-redis`)[0]}`,
    SESSION_STORE: options.store,
    ...(isDatabase(options.store) && {
      // There are two session services, and only one can have a folder of SQLite files.
      CREDENTIAL_STORE: options.store,
      CREDENTIAL_KEYS_FILE: writeCredentialKeys(join(folder, "keys")),
      MEMORY_STORE: options.store,
    }),
    ...(options.store === "firestore" && {
      FIRESTORE_PROJECT_ID: "chaos",
      FIRESTORE_EMULATOR_HOST: `127.0.0.1:${ports("to-database")[0]}`,
    }),
    ...(options.store === "postgres" && {
      DATABASE_URL: `postgresql://postgres@127.0.0.1:${ports("to-database")[0]}/postgres`,
      DATABASE_POOL_SIZE: "5",
    }),
    LEASE_MS: String(LEASE_MS),
    // On a busy machine runs lose a lease this short without any fault.
    MAX_RUN_ATTEMPTS: "10",
    MAX_LLM_CALLS: "30",
    // Answers that are larger than a reader that has stalled may keep.
    MAX_ANSWER_CHARACTERS: "64000000",
    MAX_QUEUED_RUNS: "64",
    PEER_CHECK_MS: "200",
    CALL_TIMEOUT_MS: "5000",
    SSE_HEARTBEAT_MS: "500",
    SSE_STALL_MS: "1500",
    SHUTDOWN_DRAIN_MS: "2000",
    CHAOS_MCP_URL: asking.url,
    CHAOS_A2A_URL: peer.url,
    // The MCP server, the remote agent and receivers of notifications.
    OUTBOUND_ALLOWED_HOSTS: "127.0.0.1",
    A2A_APPS: "chaos",
    // The gateways share their folder.
    A2A_PUSH: options.store === "postgres" ? "postgres" : "sqlite",
    DEV_UI: "false",
    LOG_LEVEL: "warn",
    LOG_FORMAT: "json",
    ...options.settings,
  };
}
