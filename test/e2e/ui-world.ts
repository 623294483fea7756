import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { freePort } from "#tooling/free-ports.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";
import { launchBrowser } from "./browser.ts";

const SAMPLES = fileURLToPath(new URL("../../agents", import.meta.url));

interface ServerOptions {
  readonly agentsDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The server as a process with its own data folder, and a browser; both are closed at the end. */
export class UiWorld implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #agentsDir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #dataDir = mkdtempSync(join(tmpdir(), "e2e-"));
  readonly #port: number;
  #server: CliProcess;
  url = "";

  static async start(
    agentsDir = SAMPLES,
    env: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
  ): Promise<UiWorld> {
    const world = new UiWorld(await launchBrowser({}, flags), await freePort(), { agentsDir, env });
    try {
      world.url = await world.#ready();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(browser: Browser, port: number, { agentsDir, env }: ServerOptions) {
    this.#browser = browser;
    this.#port = port;
    this.#agentsDir = agentsDir;
    this.#env = env;
    this.#server = this.#serve();
  }

  /** Ends the server with the signal and starts another on the same port and data. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.#server.end(signal);
    this.#server = this.#serve();
    await this.#ready();
  }

  /** A page with a separate browser profile. */
  async openPage(path: string): Promise<WatchedPage> {
    const page = await this.#browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(20_000);
    const pageErrors = watchPage(page, this.url);
    await page.goto(this.url + path);
    return { page, pageErrors };
  }

  /** Resolves when the server's output matches the pattern. */
  async logged(pattern: RegExp): Promise<void> {
    await this.#server.until(pattern);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.#server[Symbol.asyncDispose]();
    rmSync(this.#dataDir, { recursive: true });
  }

  #serve(): CliProcess {
    return new CliProcess(["serve", this.#agentsDir, "--port", `${this.#port}`, "--data-dir", this.#dataDir], {
      environment: this.#env,
    });
  }

  async #ready(): Promise<string> {
    return (await this.#server.until(/is ready: (\S+)\/dev-ui/))[1] ?? "";
  }
}

export interface WatchedPage {
  readonly page: Page;
  /** Faults so far: errors of the page, and requests to other hosts. */
  readonly pageErrors: readonly string[];
}

/** Collects faults of a page whose requests should all go below the address. */
export function watchPage(page: Page, url: string): readonly string[] {
  const pageErrors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") pageErrors.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", ({ message }) => pageErrors.push(`page: ${message}`));
  page.on("request", (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${url}/`))
      pageErrors.push(`other host: ${request.url()}`);
  });
  return pageErrors;
}
