import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { residentBytesOf } from "./memory-watch.ts";
import type { ServerMessage } from "./watched-server.ts";

const ENTRY = fileURLToPath(new URL("watched-server.ts", import.meta.url));
const APPS = ["weather", "expenses", "research_team_yaml"];
const KEPT_OUTPUT = 20_000;
const KEPT_ERRORS = 100;

export type Stall = Extract<ServerMessage, { kind: "stall" }> & { readonly at: number };

/** A server as a process with its own data and its own copy of some sample agents, on a port of loopback. */
export class AttackedServer implements AsyncDisposable {
  readonly url: URL;
  readonly stalls: Stall[] = [];
  readonly folder: string;
  readonly #child: ChildProcess;
  #output = "";
  /** The beginning of a line that is not complete yet. */
  #unended = "";
  readonly #errors: string[] = [];
  #end: string | undefined;

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#child = child;
    this.url = new URL(url);
    this.folder = folder;
    child.on("message", (message: ServerMessage) => {
      if (message.kind === "stall") this.stalls.push({ ...message, at: performance.now() });
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
        this.#keepErrors(text);
      });
    }
    child.once("exit", (code, signal) => {
      this.#end = `The server has ended with ${signal ?? code}:\n${this.#output}`;
    });
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<AttackedServer> {
    const folder = mkdtempSync(join(tmpdir(), "attack-"));
    const agents = join(folder, "agents");
    mkdirSync(agents);
    for (const app of APPS) cpSync(join(REPOSITORY_ROOT, "agents", app), join(agents, app), { recursive: true });
    const child = fork(ENTRY, {
      silent: true,
      env: {
        PATH: process.env["PATH"],
        HOST: "127.0.0.1",
        PORT: "0",
        DATA_DIR: join(folder, "data"),
        AGENTS_DIR: agents,
        LOG_FORMAT: "json",
        LOG_LEVEL: "warn",
        RUN_TIMEOUT_MS: "10000",
        AGENT_EDITOR: "true",
        MCP_APPS: "*",
        A2A_APPS: "*",
        // The memory limit of a container of 512 MiB, approximately.
        NODE_OPTIONS: "--max-old-space-size=400",
        ...settings,
      },
    });
    let output = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    const [message] = await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => {
        throw new Error(`The server did not start: ${output}`);
      }),
    ]);
    return new AttackedServer(child, message.url, folder);
  }

  /** How the process ended; undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The newest log lines. */
  get output(): string {
    return this.#output;
  }

  /** Bytes of memory that the process has. */
  get residentBytes(): readonly number[] {
    if (this.#end !== undefined) throw new Error(this.#end);
    return [residentBytesOf(this.pid)];
  }

  /** Logged errors that contain the text, such as the id of a request. */
  errorsWith(text: string): readonly string[] {
    return this.#errors.filter((line) => line.includes(text));
  }

  #keepErrors(text: string): void {
    const lines = (this.#unended + text).split("\n");
    this.#unended = lines.pop() ?? "";
    for (const line of lines) {
      if (line.includes('"level":"error"') && this.#errors.length < KEPT_ERRORS) this.#errors.push(line);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
