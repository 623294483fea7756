import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "#tooling/free-ports.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { FaultProxy } from "#tooling/processes/fault-proxy.ts";

const SAMPLES = fileURLToPath(new URL("../../../agents", import.meta.url));

interface RestartableServerOptions {
  readonly agentsDir?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The server as a process on one port and one data folder, behind a link that can be given a fault. */
export class RestartableServer implements AsyncDisposable {
  readonly link: FaultProxy;
  readonly #port: number;
  readonly #options: RestartableServerOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "restartable-"));
  #process: CliProcess;

  private constructor(port: number, link: FaultProxy, options: RestartableServerOptions) {
    this.#port = port;
    this.link = link;
    this.#options = options;
    this.#process = this.#serve();
  }

  static async start(options: RestartableServerOptions = {}): Promise<RestartableServer> {
    const port = await freePort();
    const server = new RestartableServer(port, await FaultProxy.to(port), options);
    await server.#ready();
    return server;
  }

  /** The address of the link. */
  get url(): string {
    return `http://127.0.0.1:${this.link.port}`;
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    await this.#process.end(signal);
  }

  async startAgain(): Promise<void> {
    this.#process = this.#serve();
    await this.#ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link[Symbol.asyncDispose]();
    await this.#process[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #serve(): CliProcess {
    const { agentsDir = SAMPLES, environment = {} } = this.#options;
    const args = ["serve", agentsDir, "--port", String(this.#port), "--data-dir", this.#folder];
    return new CliProcess(args, { environment: { DEV_UI: "false", ...environment } });
  }

  async #ready(): Promise<void> {
    await this.#process.until(/is ready: http/);
  }
}
