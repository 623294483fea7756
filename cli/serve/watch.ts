import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { FolderWatch } from "#kit/definitions/loaders/folder-watch.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { projectFolderOf } from "../dot-env.ts";
import { printError, printLine } from "../output/terminal.ts";
import { sourceMtimes } from "./source-mtimes.ts";

const POLL_MS = 500;

export interface WatchOptions {
  readonly agentsFolder: string;
  /** What was typed after `fairlead`, without `--watch`. */
  readonly typed: readonly string[];
}

/**
 * Serves in a child process, and starts it again when a source file of the project changes: Node keeps imported modules
 * until a process ends. The child ends in good order, as after a signal, and the next one has the same address. Returns
 * the exit code.
 */
export async function watchAndServe({ agentsFolder, typed }: WatchOptions): Promise<number> {
  const server = new WatchedServer(typed);
  const project = projectFolderOf(agentsFolder) ?? agentsFolder;
  let known = await sourceMtimes(project);
  const onChange = async (): Promise<void> => {
    const stamps = await sourceMtimes(project);
    if (stamps === known) return;
    known = stamps;
    await server.restart();
  };
  const watch = new FolderWatch({ path: agentsFolder, onChange, pollMs: POLL_MS });
  try {
    return await server.run();
  } finally {
    watch.close();
  }
}

class WatchedServer {
  readonly #typed: readonly string[];
  #child: ChildProcess | undefined;
  /** The port of the first start, which may have been chosen by the system. */
  #port: string | undefined;
  #isEnding = false;
  readonly #ended = Promise.withResolvers<number>();

  constructor(typed: readonly string[]) {
    this.#typed = typed;
  }

  async run(): Promise<number> {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => this.#end(signal));
    this.#start();
    // Waiting for a change after a failed start, nothing else keeps the process alive.
    const keepAlive = setInterval(() => {}, 60_000);
    try {
      return await this.#ended.promise;
    } finally {
      clearInterval(keepAlive);
    }
  }

  async restart(): Promise<void> {
    printLine("\nA source file has changed: restarting.");
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    if (!this.#isEnding) this.#start();
  }

  #start(): void {
    const typed = this.#port === undefined ? this.#typed : withPort(this.#typed, this.#port);
    const script = process.argv[1] ?? "";
    const child = spawn(process.execPath, [...process.execArgv, script, ...typed], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    });
    this.#child = child;
    child.on("message", (message: unknown) => {
      if (!isJsonObject(message) || typeof message["url"] !== "string" || this.#port !== undefined) return;
      this.#port = new URL(message["url"]).port;
    });
    child.on("exit", (code) => this.#onExit(child, code));
  }

  #onExit(child: ChildProcess, code: number | null): void {
    if (this.#isEnding) return this.#ended.resolve(code ?? 1);
    if (this.#child !== child) return;
    if (this.#port === undefined) return this.#ended.resolve(code ?? 1);
    printError("The server has ended. It starts again when a source file changes.");
  }

  #end(signal: NodeJS.Signals): void {
    const isSecond = this.#isEnding;
    this.#isEnding = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return this.#ended.resolve(0);
    // A terminal sends Ctrl-C to the child too; a second one ends the child immediately.
    if (signal !== "SIGINT" || process.stdin.isTTY !== true || isSecond) child.kill(signal);
  }
}

/** The command line with this port in place of the one that was typed. */
function withPort(typed: readonly string[], port: string): readonly string[] {
  const at = typed.indexOf("--port");
  const others = at === -1 ? typed : [...typed.slice(0, at), ...typed.slice(at + 2)];
  return [...others.filter((word) => !word.startsWith("--port=")), "--port", port];
}
