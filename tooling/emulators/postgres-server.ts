import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { freePort } from "#tooling/free-ports.ts";
import { findPrograms, postgresMissing, type ServerUser, SUPERUSER, serverUser } from "./postgres-programs.ts";

const MAX_START_MS = 60_000;
/** No write waits for the disk: the data survive the end of the server's processes, and not a crash of the machine. */
const SETTINGS = [
  ...["fsync=off", "full_page_writes=off", "listen_addresses=127.0.0.1"],
  ...["unix_socket_directories=", "max_connections=200", "log_min_messages=fatal"],
];

export interface PostgresServerOptions {
  /** Starts it in its own process group, which a Ctrl-C at the terminal does not reach; the caller has to stop it. */
  readonly detached?: boolean;
  /** Further settings, such as `ssl=on`. */
  readonly settings?: readonly string[];
  /** The folder with the programs; those of this machine by default. */
  readonly programs?: string;
}

/** A real Postgres on a free loopback port, with its data in a temporary folder. Everybody may connect without a password. */
export class PostgresServer implements AsyncDisposable {
  /** Does not change when the server is started again. */
  readonly port: number;
  readonly folder: string;
  readonly #programs: string;
  readonly #user: ServerUser;
  readonly #options: PostgresServerOptions;
  #process: ChildProcess | undefined;

  private constructor(
    port: number,
    folder: string,
    programs: string,
    user: ServerUser,
    options: PostgresServerOptions,
  ) {
    this.port = port;
    this.folder = folder;
    this.#programs = programs;
    this.#user = user;
    this.#options = options;
  }

  static start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    return PostgresServer.#create(options, (data) => ({
      program: "initdb",
      args: ["-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
    }));
  }

  /** A server that copies this one and follows it, and can be read. The primary waits for it with each commit from now on. */
  async startStandby(): Promise<PostgresServer> {
    const standby = await PostgresServer.#create(this.#options, (data) => ({
      program: "pg_basebackup",
      args: ["-D", data, "-R", "-c", "fast", "--no-sync", "-h", "127.0.0.1", "-p", String(this.port), "-U", SUPERUSER],
    }));
    // The copy does not have the setting, and waits for nobody once it is the primary.
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.query("SELECT pg_reload_conf()");
    const giveUp = performance.now() + MAX_START_MS;
    while ((await this.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 0) {
      if (performance.now() > giveUp) throw new Error("The standby does not follow.");
      await setTimeout(20);
    }
    return standby;
  }

  static async #create(
    options: PostgresServerOptions,
    makeData: (folder: string) => { readonly program: string; readonly args: readonly string[] },
  ): Promise<PostgresServer> {
    const programs = options.programs ?? findPrograms();
    if (programs === undefined) throw new Error(`No Postgres: ${postgresMissing()}.`);
    const user = serverUser();
    const folder = await mkdtemp(join(tmpdir(), "postgres-"));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
    const server = new PostgresServer(await freePort(), folder, programs, user, options);
    try {
      const { program, args } = makeData(server.#data);
      execFileSync(join(programs, program), args, { ...user, stdio: ["ignore", "ignore", "pipe"], cwd: folder });
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Of a database, which must exist; the superuser's own by default. */
  url(database: string = SUPERUSER): string {
    return `postgresql://${SUPERUSER}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const settings = [...SETTINGS, ...(this.#options.settings ?? [])].flatMap((setting) => ["-c", setting]);
    const child = spawn(join(this.#programs, "postgres"), ["-D", this.#data, "-p", String(this.port), ...settings], {
      ...this.#user,
      detached: this.#options.detached ?? false,
      cwd: this.folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    let problem = "";
    child.stderr.on("data", (chunk: Buffer) => {
      problem = (problem + chunk.toString("utf8")).slice(-2000);
    });
    const giveUp = performance.now() + MAX_START_MS;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > giveUp) throw new Error(`Postgres did not start. ${problem}`);
      await setTimeout(20);
    }
  }

  /** Kills all its processes, as when its machine is lost. What it has committed is there after the next start. */
  async kill(): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    const processes = childrenOf(pid);
    const ended = this.#end("SIGKILL");
    for (const child of processes) signalProcess(child, "SIGKILL");
    await ended;
    // They are children of another process now, which may need a moment to see their end.
    while (processes.some((child) => signalProcess(child, 0))) await setTimeout(5);
  }

  /** Ends it in good order: it closes its clients' connections and writes a checkpoint. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Stops all its processes where they are, until `thaw`. Connections stay open and nothing answers. */
  freeze(): void {
    this.#signalAll("SIGSTOP");
  }

  thaw(): void {
    this.#signalAll("SIGCONT");
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await this.query("SELECT pg_promote()");
  }

  /** Rows of a statement, on a connection of its own. */
  async query(text: string): Promise<readonly unknown[]> {
    const client = new pg.Client({ connectionString: this.url(), connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    await this.#end("SIGQUIT");
    await rm(this.folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  #signalAll(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid === undefined) return;
    for (const each of [pid, ...childrenOf(pid)]) signalProcess(each, signal);
  }

  async #isReady(): Promise<boolean> {
    try {
      await this.query("SELECT 1");
      return true;
    } catch {
      return false;
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map(Number);
  } catch {
    // It has none.
    return [];
  }
}

/** Sends the signal. False if the process had ended. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
