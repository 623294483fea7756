import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";

/** Where Debian and Ubuntu have the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";
const SUPERUSER = "postgres";
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
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** A real Postgres on a free loopback port, with its data in a temporary folder. Everybody may connect without a password. */
export class PostgresServer implements AsyncDisposable {
  /** Does not change when the server is started again. */
  readonly port: number;
  readonly folder: string;
  readonly #programs: string;
  readonly #user: User;
  readonly #options: PostgresServerOptions;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string, programs: string, user: User, options: PostgresServerOptions) {
    this.port = port;
    this.folder = folder;
    this.#programs = programs;
    this.#user = user;
    this.#options = options;
  }

  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const programs = findPrograms();
    if (programs === undefined) throw new Error(`No Postgres: ${postgresMissing()}.`);
    const user = serverUser();
    const folder = await mkdtemp(join(tmpdir(), "postgres-"));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
    const server = new PostgresServer(await freePort(), folder, programs, user, options);
    try {
      execFileSync(
        join(programs, "initdb"),
        ["-D", server.#data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
        { ...user, stdio: ["ignore", "ignore", "pipe"], cwd: folder },
      );
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
    while (!(await isReady(this.#programs, this.port))) {
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
    for (const child of processes) endProcess(child, "SIGKILL");
    await ended;
    // They are children of another process now, which may need a moment to see their end.
    while (processes.some((child) => endProcess(child, 0))) await setTimeout(5);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGQUIT");
    await rm(this.folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.folder, "data");
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

/** Returns why no Postgres can be started here and what installs it, or undefined if one can. */
export function postgresMissing(): string | undefined {
  if (findPrograms() === undefined) return `there is no server in ${VERSIONS} (apt-get install postgresql)`;
  if (process.getuid?.() === 0 && serverUser().uid === undefined)
    return `Postgres does not run as root, and there is no user ${SUPERUSER}`;
  return undefined;
}

/** Returns why tests that need Postgres cannot run, and reports it; undefined if they can. */
export function whyNoPostgres(): string | undefined {
  const reason = postgresMissing();
  if (reason !== undefined) skipFor("Postgres", reason);
  return reason;
}

/** The folder with the programs of the newest version. */
function findPrograms(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined;
  const versions = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one));
  return versions
    .map((version) => join(VERSIONS, version, "bin"))
    .find((folder) => existsSync(join(folder, "postgres")));
}

/** Postgres refuses to run as root: then it runs as its package's user. */
function serverUser(): User {
  if (process.getuid?.() !== 0) return {};
  try {
    const id = (option: string) => Number(execFileSync("id", [option, SUPERUSER], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return {};
  }
}

async function isReady(programs: string, port: number): Promise<boolean> {
  const child = spawn(join(programs, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  const [code] = await once(child, "exit");
  return code === 0;
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

/** False if it had ended. */
function endProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
