import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { readAllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import { readEnvironment } from "#kit/platform/environment.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { checkOptions, flag, integer, listOf, type OptionRules, text } from "#kit/schema/check-options.ts";
import type { BaseComputer } from "../base-computer.ts";
import { BrowserPage } from "./browser-page.ts";
import { Chromium } from "./chromium.ts";
import { IdleSessions } from "./idle-sessions.ts";

/** Options of `PlaywrightComputer`; it may have none. */
export interface PlaywrightComputerOptions {
  /** Width and height of pages in pixels; `[1280, 800]` by default. */
  readonly screenSize?: readonly number[] | undefined;
  /** The browser's program; `CHROMIUM_PATH` by default, or else the Chromium that Playwright has installed. */
  readonly executablePath?: string | undefined;
  /** False shows the browser's window. */
  readonly headless?: boolean | undefined;
  /** False runs Chromium without its sandbox: only where the process is in a sandbox of its own. */
  readonly sandbox?: boolean | undefined;
  /**
   * Hosts in the server's own network, or with ports other than 80 and 443, that pages may reach: `host`, `host:port`,
   * `*.suffix`. None by default.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The first page; an empty one by default. */
  readonly startUrl?: string | undefined;
  /** What `search` opens; `https://www.google.com` by default. */
  readonly searchUrl?: string | undefined;
  /** Sessions that have pages at the same time; 10 by default. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds after which the pages of an unused session are closed; 600,000 by default. */
  readonly idleMs?: number | undefined;
  /** The longest time for one action, in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds between an action and its screenshot; 500 by default. */
  readonly settleMs?: number | undefined;
}

const RULES: OptionRules<PlaywrightComputerOptions> = {
  screenSize: {
    must: "a width and a height, as whole numbers above 0",
    accepts: (value) =>
      Array.isArray(value) && value.length === 2 && value.every((size) => Number.isInteger(size) && size > 0),
  },
  executablePath: text,
  headless: flag,
  sandbox: flag,
  allowedHosts: listOf(text),
  startUrl: text,
  searchUrl: text,
  maxSessions: integer(1),
  idleMs: integer(1, " milliseconds"),
  timeoutMs: integer(1, " milliseconds"),
  settleMs: integer(0, " milliseconds"),
};

/**
 * A Chromium, driven by Playwright (`npm install playwright-core`). Each session has a browser context of its own, so
 * that users share no cookies; it is closed after a time without use. Pages reach public addresses on ports 80 and 443,
 * and `allowedHosts`. The constructor throws `INVALID_FIELD`, and `CONFIGURATION` for a wrong entry of `allowedHosts`;
 * actions throw `PACKAGE_MISSING` if Playwright is not installed.
 */
export class PlaywrightComputer extends BrowserPage {
  readonly #chromium: Chromium;
  readonly #sessions: IdleSessions<BrowserPage>;

  constructor(options: PlaywrightComputerOptions = {}) {
    checkOptions("new PlaywrightComputer", options, RULES);
    const [width = 1280, height = 800] = options.screenSize ?? [];
    const { startUrl, searchUrl = "https://www.google.com", timeoutMs = 30_000, settleMs = 500 } = options;
    const executablePath = options.executablePath ?? readEnvironment("CHROMIUM_PATH");
    const { headless, sandbox } = options;
    const allowedHosts = readAllowedHosts(options.allowedHosts ?? []);
    const chromium = new Chromium({ executablePath, headless, sandbox, allowedHosts, screenSize: [width, height] });
    const settings = { screenSize: [width, height], startUrl, searchUrl, timeoutMs, settleMs, sleep } as const;
    const openContext = (): Promise<unknown> => chromium.newContext();
    super(openContext, settings);
    this.#chromium = chromium;
    this.#sessions = new IdleSessions({
      maxSessions: options.maxSessions ?? 10,
      idleMs: options.idleMs ?? 600_000,
      open: (onClosed) => new BrowserPage(openContext, settings, onClosed),
    });
  }

  /** Throws `COMPUTERS_IN_USE` if `maxSessions` others have pages. */
  override forSession({ invocationContext: { session } }: ToolContext): BaseComputer {
    const key = JSON.stringify([tenantOf(session), session.appName, session.userId, session.id]);
    const page = this.#sessions.use(key);
    if (page !== undefined) return page;
    throw new PlatformError("COMPUTERS_IN_USE", "All browsers of this server are in use: try again later.");
  }

  override async close(): Promise<void> {
    await this.#sessions.close();
    await super.close();
    await this.#chromium.close();
  }
}
