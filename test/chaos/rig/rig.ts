import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FirestoreEmulator, startFirestoreEmulator } from "#tooling/emulators/firestore-emulator.ts";
import { RedisServer } from "#tooling/emulators/redis-server.ts";
import { freePorts } from "#tooling/free-ports.ts";
import { FaultProxy, type LinkFault } from "#tooling/processes/fault-proxy.ts";
import { AskingServer } from "./asking-server.ts";
import { FaultLog } from "./fault-log.ts";
import { JudgeServer } from "./judge-server.ts";
import { PostgresPlace } from "./postgres-place.ts";
import { RemotePeer } from "./remote-peer.ts";
import { carriesStreams, EDGES, type Edge, isDatabase, type RigOptions } from "./rig-options.ts";
import { AGENTS, agentsFolderOf, type Ports, settingsOf } from "./rig-settings.ts";
import { type ChaosService, ServicePlace } from "./service-place.ts";

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
    const transport = carriesStreams(options) && postgres !== undefined ? postgres.port : redis.port;
    const links = await openLinks(ports, transport, database);
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
    for (const index of [0, 1]) {
      mkdirSync(agentsFolderOf(folder, index));
      symlinkSync(join(AGENTS, "chaos"), join(agentsFolderOf(folder, index), "chaos"));
    }
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

  /** The folder of a runner's agents, with `ownAgents`. */
  agentsFolder(runner: number): string {
    return agentsFolderOf(this.#parts.folder, runner);
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

  /** The links of the streams, if the database carries them. */
  get transportLinks(): readonly FaultProxy[] {
    if (!carriesStreams(this.options)) return [];
    return (["gateway-transport", "runner-transport"] as const).map((edge) => this.link(edge));
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
  transportPort: number,
  databasePort: number | undefined,
): Promise<ReadonlyMap<Edge, readonly FaultProxy[]>> {
  const of = (service: ChaosService): readonly number[] =>
    ports.filter((place) => place.service === service).map(({ grpc, admin }) => (service === "gateway" ? admin : grpc));
  const targets: Readonly<Record<Edge, readonly number[]>> = {
    "client-gateway": of("gateway"),
    "gateway-runner": of("runner"),
    "gateway-session": of("session"),
    "runner-session": of("session"),
    "gateway-transport": [transportPort],
    "runner-transport": [transportPort],
    "to-database": databasePort === undefined ? [] : [databasePort],
    "to-artifact": of("artifact"),
  };
  const opened = EDGES.map(async (edge) => [edge, await Promise.all(targets[edge].map(FaultProxy.to))] as const);
  return new Map(await Promise.all(opened));
}
