import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const AGENTS = fileURLToPath(new URL("../../fixtures/client-agents", import.meta.url));

const SCOPES = "runs:write,sessions:read,sessions:write,artifacts";

export interface ClientServerOptions {
  readonly userId?: string;
  readonly prefix?: string;
}

/** A server as a process with its own data folder, whose agents do everything that a client can observe. */
export class ClientServer implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "clients-"));
  readonly #process: CliProcess;
  url = "";
  /** The API key of the user, if the server was started for one. */
  apiKey = "";

  /** With a user, the server accepts only a key of that user. The prefix is that of its address. */
  static async start({ userId, prefix = "" }: ClientServerOptions = {}): Promise<ClientServer> {
    const server = new ClientServer({ PATH_PREFIX: prefix, ...(userId !== undefined && { AUTH: "api-key" }) });
    if (userId !== undefined) server.apiKey = await server.#createKey(userId);
    server.url = (await server.#process.until(/is ready: (http:\/\/[^/\s]+)/))[1] + prefix;
    return server;
  }

  constructor(environment: Readonly<Record<string, string>>) {
    this.#process = new CliProcess(["serve", AGENTS, "--port", "0", "--data-dir", this.#folder], { environment });
  }

  /** A request with JSON; throws for any status but 200. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const init = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await fetch(this.url + path, { method, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async #createKey(userId: string): Promise<string> {
    const words = ["--name", "client", "--user", userId, "--scopes", SCOPES, "--data-dir", this.#folder, "--json"];
    await using command = new CliProcess(["keys", "create", ...words]);
    await command.ended;
    return /fl_[\w-]+/.exec(command.output)?.[0] ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
