import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import type { PostgresServer } from "./postgres-server.ts";

const PROGRAM = "pgbouncer";
const USER = "postgres";

/** PgBouncer in transaction mode before a server: statements of different transactions use different connections. */
export class PgBouncer implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(port: number, folder: string, process: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#process = process;
  }

  static async start(server: PostgresServer, connections: number): Promise<PgBouncer> {
    const [folder, port] = [await mkdtemp(join(tmpdir(), "pgbouncer-")), await freePort()];
    const file = join(folder, "pgbouncer.ini");
    const lines = [
      ...["[databases]", `* = host=127.0.0.1 port=${server.port}`, "[pgbouncer]", "listen_addr = 127.0.0.1"],
      ...[`listen_port = ${port}`, "unix_socket_dir =", "auth_type = any", "pool_mode = transaction"],
      ...[`default_pool_size = ${connections}`, "max_client_conn = 500", "server_round_robin = 1"],
    ];
    // `any` logs every client in as one user of the server.
    await writeFile(file, lines.join("\n").replace(`port=${server.port}`, `port=${server.port} user=${USER}`));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(folder, userId("-u"), userId("-g"));
    const child = spawn(PROGRAM, [...(isRoot ? ["-u", USER] : []), file], { stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    const ended = once(child, "exit");
    child.stderr.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-4000);
    });
    while (!output.includes("process up")) {
      await Promise.race([once(child.stderr, "data"), ended]);
      if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${output}`);
    }
    return new PgBouncer(port, folder, child);
  }

  get url(): string {
    return `postgresql://${USER}@127.0.0.1:${this.port}/${USER}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGQUIT");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Returns why tests that need PgBouncer cannot run, and reports it; undefined if they can. */
export function whyNoPgBouncer(): string | undefined {
  if (spawnSync(PROGRAM, ["--version"]).status === 0) return undefined;
  const reason = `there is no ${PROGRAM} on the PATH (apt-get install pgbouncer)`;
  skipFor("PgBouncer", reason);
  return reason;
}

function userId(option: "-g" | "-u"): number {
  return Number(execFileSync("id", [option, USER], { encoding: "utf8" }));
}
