import { existsSync } from "node:fs";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { JsonValue } from "#kit/platform/json.ts";
import type { LastOutput } from "./last-output.ts";
import { plainMessage } from "./plain-message.ts";
import { type PipedChild, type SupervisedCommand, signalGroup, spawnSupervised } from "./supervised-process.ts";

/** The longest message of a server; a longer one closes the connection. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;
/** How long a server may take to end after its standard input has ended, and again after SIGTERM. */
const GRACE_MS = 1000;
const NEW_LINE = 10;

/** The transport of MCP over the standard streams of a supervised child process: one JSON text a line. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The SDK takes a transport with `stderr` and `pid` for one on standard streams. */
  readonly stderr = null;
  readonly #command: SupervisedCommand;
  readonly #output: LastOutput | undefined;
  #child: PipedChild | undefined;
  #closing: Promise<void> | undefined;
  #endedEarly: Error | undefined;
  /** The process takes no more messages, so it has ended, or is about to. */
  #hasLostInput = false;
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** `output` gets what the program writes to its standard error. */
  constructor(command: SupervisedCommand, output?: LastOutput) {
    this.#command = command;
    this.#output = output;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How the process ended, if it ended by itself. */
  get endedEarly(): Error | undefined {
    return this.#endedEarly;
  }

  start(): Promise<void> {
    const child = spawnSupervised(this.#command);
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    // An unread pipe would block the server.
    child.stderr.on("data", (chunk: Buffer) => this.#output?.add(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream.on("error", (error) => {
        if (stream === child.stdin) this.#hasLostInput = true;
        this.onerror?.(error);
      });
    child.on("exit", (code) => {
      signalGroup(child, "SIGKILL");
      if (this.#closing === undefined || (this.#hasLostInput && code !== null))
        this.#endedEarly = new Error(`its process ended with code ${code}${meaningOf(code)}.`);
      this.#end();
    });
    return new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        this.#end();
        const { cwd } = this.#command;
        // The system names the program in its error, whichever of the two does not exist.
        reject(cwd === undefined || existsSync(cwd) ? error : new Error("the folder of `cwd` does not exist."));
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin?.writable !== true) return Promise.reject(new Error("The server's process has ended."));
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when the process and those that it has started have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.stdin.end();
    const timers = [
      setTimeout(() => signalGroup(child, "SIGTERM"), GRACE_MS),
      setTimeout(() => signalGroup(child, "SIGKILL"), 2 * GRACE_MS),
    ];
    await exited;
    for (const timer of timers) clearTimeout(timer);
  }

  #read(chunk: Buffer): void {
    // A server that is being closed may continue to write. An unread pipe would block it, so the output is read and
    // discarded.
    if (this.#closing !== undefined) return;
    let rest = chunk;
    for (let end = rest.indexOf(NEW_LINE); end !== -1; end = rest.indexOf(NEW_LINE)) {
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)]);
      this.#chunks = [];
      this.#bytes = 0;
      rest = rest.subarray(end + 1);
      this.#take(line);
    }
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#bytes += rest.length;
    if (this.#bytes <= MAX_MESSAGE_BYTES) return;
    this.#chunks = [];
    this.onerror?.(new Error(`A message of the server is longer than ${MAX_MESSAGE_BYTES} bytes.`));
    void this.close();
  }

  #take(line: Buffer): void {
    const text = line.toString("utf8").trim();
    if (text === "") return;
    try {
      const value: unknown = JSON.parse(text);
      // The SDK checks messages when it handles them.
      for (const message of Array.isArray(value) ? value : [value]) {
        if (typeof message !== "object" || message === null || !("jsonrpc" in message))
          throw new TypeError("The server wrote a line that is not a message.");
        this.onmessage?.(plainMessage(message as JsonValue) as unknown as JSONRPCMessage);
      }
    } catch (error) {
      // Some servers write other lines to their output; the next line may be a message again.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #end(): void {
    if (this.#child === undefined) return;
    this.#child = undefined;
    this.#chunks = [];
    this.onclose?.();
  }
}

/** The meaning of an exit code of the shell that starts the command. */
function meaningOf(code: number | null): string {
  if (code === 127) return ": the command was not found";
  return code === 126 ? ": the command is not executable" : "";
}
