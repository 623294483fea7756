import type { Browser, BrowserContext } from "playwright-core";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { AllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import type { ScreenSize } from "../base-computer.ts";
import { CheckedProxy } from "./checked-proxy.ts";

export interface ChromiumOptions {
  readonly executablePath?: string | undefined;
  readonly headless?: boolean | undefined;
  readonly sandbox?: boolean | undefined;
  readonly allowedHosts: AllowedHosts;
  readonly screenSize: ScreenSize;
}

interface Running {
  readonly browser: Browser;
  readonly proxy: CheckedProxy;
}

/** Turns off media connections, which do not use the proxy, and name resolution outside of the proxy. */
const ARGUMENTS = [
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** One Chromium with a proxy of its own. It is started for the first context, and ends with the last. */
export class Chromium {
  readonly #options: ChromiumOptions;
  #running: Promise<Running> | undefined;
  #contexts = 0;

  constructor(options: ChromiumOptions) {
    this.#options = options;
  }

  /**
   * A context without cookies and storage of others. Throws `PACKAGE_MISSING` if Playwright is not installed, and what
   * Playwright throws if there is no Chromium.
   */
  async newContext(): Promise<BrowserContext> {
    this.#contexts += 1;
    try {
      const { browser } = await this.#start();
      const [width, height] = this.#options.screenSize;
      const context = await browser.newContext({
        viewport: { width, height },
        acceptDownloads: false,
        serviceWorkers: "block",
      });
      context.once("close", () => this.#release());
      return context;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await stop(running);
  }

  #start(): Promise<Running> {
    if (this.#running !== undefined) return this.#running;
    const starting = this.#launch();
    this.#running = starting;
    const forget = (): void => {
      if (this.#running === starting) this.#running = undefined;
    };
    starting.then(({ browser, proxy }) => {
      browser.once("disconnected", () => {
        forget();
        proxy[Symbol.asyncDispose]().catch(() => {});
      });
    }, forget);
    return starting;
  }

  async #launch(): Promise<Running> {
    const { chromium } = await importOptional({
      name: "playwright-core",
      user: "Computers with Chromium",
      load: () => import("playwright-core"),
    });
    const { allowedHosts, executablePath, headless = true, sandbox = true } = this.#options;
    const proxy = new CheckedProxy({ allowedHosts });
    const server = await proxy.listen();
    try {
      const browser = await chromium.launch({
        executablePath,
        headless,
        chromiumSandbox: sandbox,
        args: ARGUMENTS,
        // By default Chromium bypasses the proxy for loopback addresses, which pages must not reach.
        proxy: { server, bypass: "<-loopback>" },
      });
      return { browser, proxy };
    } catch (error) {
      await proxy[Symbol.asyncDispose]();
      throw error;
    }
  }

  #release(): void {
    this.#contexts -= 1;
    if (this.#contexts === 0) this.close().catch(() => {});
  }
}

async function stop(running: Promise<Running> | undefined): Promise<void> {
  // A browser that has not started has nothing to close.
  const started = await running?.catch(() => undefined);
  await started?.browser.close();
  await started?.proxy[Symbol.asyncDispose]();
}
