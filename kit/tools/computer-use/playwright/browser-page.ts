import type { BrowserContext, Page } from "playwright-core";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import {
  BaseComputer,
  ComputerEnvironment,
  type ComputerState,
  type ScreenSize,
  type ScrollDirection,
  type TypedText,
} from "../base-computer.ts";
import { keyName } from "./key-names.ts";

export interface BrowserPageSettings {
  readonly screenSize: ScreenSize;
  readonly startUrl?: string | undefined;
  readonly searchUrl: string;
  readonly timeoutMs: number;
  readonly settleMs: number;
  readonly sleep: Sleep;
}

/** Pages that a session may have open; more are closed when they open. */
const MAX_PAGES = 8;
/** How long a screenshot waits for a page to load. */
const MAX_LOAD_MS = 5000;
/** A screenshot never ends if the page changes to another during it; the next one shows the new page. */
const SCREENSHOT_MS = 3000;
const SCREENSHOT_ATTEMPTS = 4;
const MILLISECONDS = 1000;

/** The pages of one session, in a browser context of their own: its cookies and storage are not those of others. */
export class BrowserPage extends BaseComputer {
  readonly #open: () => Promise<BrowserContext>;
  readonly #settings: BrowserPageSettings;
  #context: Promise<BrowserContext> | undefined;

  /**
   * `openContext` returns a browser context of Playwright; `onClosed` is called when that was closed, also by a crash.
   */
  constructor(openContext: () => Promise<unknown>, settings: BrowserPageSettings, onClosed: () => void = () => {}) {
    super();
    this.#settings = settings;
    this.#open = async () => {
      // Public declarations may not name types of Playwright.
      const context = (await openContext()) as BrowserContext;
      context.setDefaultTimeout(settings.timeoutMs);
      context.on("page", (page) => {
        // A page that cannot be closed is closed already.
        const close = (): void => void page.close().catch(() => {});
        if (context.pages().length > MAX_PAGES) close();
        // A page whose process has crashed answers nothing more; the next action has another one.
        page.once("crash", close);
      });
      context.once("close", () => {
        this.#context = undefined;
        onClosed();
      });
      return context;
    };
  }

  override async close(): Promise<void> {
    const context = this.#context;
    this.#context = undefined;
    // A context that was not opened has nothing to close.
    await (await context?.catch(() => undefined))?.close();
  }

  override environment(): ComputerEnvironment {
    return ComputerEnvironment.ENVIRONMENT_BROWSER;
  }

  override screenSize(): ScreenSize {
    return this.#settings.screenSize;
  }

  override currentState(): Promise<ComputerState> {
    return this.#act(async () => {});
  }

  override openWebBrowser(): Promise<ComputerState> {
    return this.currentState();
  }

  override navigate(url: string): Promise<ComputerState> {
    const address = toAddress(url);
    return this.#act((page) => page.goto(address, { waitUntil: "domcontentloaded" }));
  }

  override search(): Promise<ComputerState> {
    return this.navigate(this.#settings.searchUrl);
  }

  override clickAt(x: number, y: number): Promise<ComputerState> {
    return this.#act((page) => page.mouse.click(x, y));
  }

  override hoverAt(x: number, y: number): Promise<ComputerState> {
    return this.#act((page) => page.mouse.move(x, y));
  }

  override typeTextAt(
    x: number,
    y: number,
    { text, pressEnter, clearBeforeTyping }: TypedText,
  ): Promise<ComputerState> {
    return this.#act(async ({ mouse, keyboard }) => {
      await mouse.click(x, y);
      if (clearBeforeTyping) {
        await keyboard.press("ControlOrMeta+A");
        await keyboard.press("Delete");
      }
      await keyboard.insertText(text);
      if (pressEnter) await keyboard.press("Enter");
    });
  }

  override scrollDocument(direction: ScrollDirection): Promise<ComputerState> {
    const [width, height] = this.#settings.screenSize;
    const isVertical = direction === "up" || direction === "down";
    return this.scrollAt(Math.trunc(width / 2), Math.trunc(height / 2), direction, isVertical ? height : width / 2);
  }

  override scrollAt(x: number, y: number, direction: ScrollDirection, magnitude: number): Promise<ComputerState> {
    const distance = direction === "up" || direction === "left" ? -magnitude : magnitude;
    const isVertical = direction === "up" || direction === "down";
    return this.#act(async ({ mouse }) => {
      await mouse.move(x, y);
      await mouse.wheel(isVertical ? 0 : distance, isVertical ? distance : 0);
    });
  }

  override wait(seconds: number): Promise<ComputerState> {
    return this.#act(() => this.#settings.sleep(seconds * MILLISECONDS));
  }

  override goBack(): Promise<ComputerState> {
    return this.#act((page) => page.goBack({ waitUntil: "domcontentloaded" }));
  }

  override goForward(): Promise<ComputerState> {
    return this.#act((page) => page.goForward({ waitUntil: "domcontentloaded" }));
  }

  override keyCombination(keys: readonly string[]): Promise<ComputerState> {
    const names = keys.map(keyName);
    return this.#act(async ({ keyboard }) => {
      const pressed: string[] = [];
      try {
        for (const name of names) {
          await keyboard.down(name);
          pressed.push(name);
        }
      } finally {
        // A key that stayed down would change every later action.
        for (const name of pressed.reverse()) await keyboard.up(name);
      }
    });
  }

  override dragAndDrop(x: number, y: number, destinationX: number, destinationY: number): Promise<ComputerState> {
    return this.#act(async ({ mouse }) => {
      await mouse.move(x, y);
      await mouse.down();
      try {
        await mouse.move(destinationX, destinationY, { steps: 8 });
      } finally {
        await mouse.up();
      }
    });
  }

  /** Does one thing on the newest page, and shows the page that is the newest then. */
  async #act(action: (page: Page) => Promise<unknown>): Promise<ComputerState> {
    const context = await this.#opened();
    try {
      const page = await this.#page(context);
      await action(page);
      await this.#settings.sleep(this.#settings.settleMs);
      return await this.#show(context);
    } catch (error) {
      throw withoutLog(error);
    }
  }

  async #show(context: BrowserContext): Promise<ComputerState> {
    for (let attempt = 1; ; attempt += 1) {
      const page = await this.#page(context);
      try {
        // A page that never finishes loading is shown in its current state.
        await page.waitForLoadState("load", { timeout: MAX_LOAD_MS }).catch(() => {});
        return { screenshot: await page.screenshot({ type: "png", timeout: SCREENSHOT_MS }), url: page.url() };
      } catch (error) {
        if (attempt === SCREENSHOT_ATTEMPTS) throw error;
      }
    }
  }

  /** A context that could not be opened is opened again by the next action. */
  async #opened(): Promise<BrowserContext> {
    const opening = this.#context ?? this.#open();
    this.#context = opening;
    try {
      return await opening;
    } catch (error) {
      if (this.#context === opening) this.#context = undefined;
      throw withoutLog(error);
    }
  }

  async #page(context: BrowserContext): Promise<Page> {
    const newest = context.pages().at(-1);
    if (newest !== undefined) return newest;
    const page = await context.newPage();
    if (this.#settings.startUrl !== undefined) await page.goto(toAddress(this.#settings.startUrl));
    return page;
  }
}

/** Only pages of the web: other schemes read files of the machine, or run code in the browser. */
function toAddress(url: string): string {
  const address = URL.parse(url.trim()) ?? URL.parse(`https://${url.trim()}`);
  if (address !== null && (address.protocol === "https:" || address.protocol === "http:")) return address.href;
  throw new PlatformError("INVALID_FIELD", '"url" should be an address that begins with http:// or https://.');
}

/** Playwright adds a log of its own steps to the first line of its messages. */
function withoutLog(error: unknown): unknown {
  if (error instanceof PlatformError || !(error instanceof Error)) return error;
  const [first = ""] = error.message.split("\n");
  return new Error(first, { cause: error });
}
