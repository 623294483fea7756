import type { Locator, Page } from "playwright-core";

/**
 * Keeps the texts of the page's event streams in `window.runStreams`, from a copy of each answer: the browser may drop
 * the body of an answer before a test has read it.
 */
const RECORD_STREAMS = `if (window.runStreams === undefined) {
  window.runStreams = [];
  const send = window.fetch;
  window.fetch = (...args) => {
    const answer = send(...args);
    if (String(args[0]?.url ?? args[0]).endsWith("/run_sse"))
      window.runStreams.push(answer.then((response) => readAll(response.clone().body)));
    return answer;
  };
  const readAll = async (body) => {
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
    } catch (error) {
      // The page ends the request itself when it has the last event.
      if (error.name !== "AbortError") throw error;
    }
    return text;
  };
}`;

const TAB_ICONS = { Request: "input", Response: "output", JSON: "data_object" } as const;

/** A user's actions and observations in the developer UI. */
export class DevUiPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The bubbles with text, oldest first. */
  get bubbles(): Locator {
    return this.page.locator("app-event-row .content-bubble");
  }

  async chooseApp(name: string): Promise<void> {
    await this.page.locator(".selector-button").first().click();
    await this.page.locator(".app-selector-item-name").getByText(name, { exact: true }).click();
    await this.#input.waitFor();
  }

  async switchStreamingOn(): Promise<void> {
    await this.page.getByLabel("More options").click();
    await this.page.getByRole("menuitem", { name: "Streaming" }).click();
    await this.page.keyboard.press("Escape");
    await this.page.locator(".mat-mdc-menu-panel").waitFor({ state: "detached" });
  }

  async send(text: string): Promise<void> {
    await this.#input.fill(text);
    await this.#input.press("Enter");
  }

  /** Sends, and resolves with the stream's text when it has ended. */
  async sendAndFollow(text: string): Promise<string> {
    await this.page.evaluate(RECORD_STREAMS);
    const answer = this.page.waitForResponse((response) => response.url().endsWith("/run_sse"));
    await this.send(text);
    await answer;
    return this.page.evaluate<string>("Promise.all(window.runStreams).then((texts) => texts.at(-1))");
  }

  /** The path and query of the page, once they name the session. */
  async address(): Promise<string> {
    await this.page.waitForURL(({ searchParams }) => searchParams.has("session"));
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  /** The current texts of the bubbles. */
  async conversation(): Promise<string[]> {
    return (await this.bubbles.allInnerTexts()).map((text) => text.trim());
  }

  /** The chips of tool calls, of their answers, and of artifacts. */
  chips(): Promise<string[]> {
    return this.page.locator("app-event-row .hover-info-button .mdc-button__label").allInnerTexts();
  }

  /** Events count from 1, as the page numbers them. */
  async selectEvent(number: number): Promise<void> {
    await this.page.locator("app-event-row .event-number-container").getByText(`#${number}`, { exact: true }).click();
  }

  /** A tab of the selected event. */
  async openEventTab(name: keyof typeof TAB_ICONS): Promise<void> {
    await this.#icon(TAB_ICONS[name]).click();
  }

  sidePanel(): Promise<string> {
    return this.page.locator("app-side-panel").innerText();
  }

  async startCall(): Promise<void> {
    await this.#icon("call").click();
  }

  /** Runs all cases of the set. */
  async runEvaluation(evalSet: string): Promise<void> {
    await this.page.getByText("Evals", { exact: true }).first().click();
    await this.page.getByText(evalSet, { exact: true }).first().click();
    await this.page.getByRole("button", { name: "Run" }).first().click();
    await this.page.locator("mat-dialog-container").getByRole("button", { name: "Start" }).click();
  }

  /** The message at the bottom of the page. */
  async snackBar(): Promise<string> {
    return (await this.page.locator("mat-snack-bar-container").allInnerTexts()).join();
  }

  /** The labels in the picture of the selected event. */
  graphNodes(): Promise<string[]> {
    return this.page.locator(".svg-graph-wrapper g.node text").allTextContents();
  }

  graphBackground(): Promise<string | null> {
    return this.page.locator(".svg-graph-wrapper g.graph > polygon").first().getAttribute("fill");
  }

  /** The names of the spans, in the order of the page. */
  spans(): Promise<string[]> {
    return this.page.locator(".trace-label").allInnerTexts();
  }

  /** The families of fonts that text on the page is drawn with. */
  async loadedFonts(): Promise<string[]> {
    const families = await this.page.evaluate<string[]>(
      `document.fonts.ready.then((fonts) => [...fonts].filter(({ status }) => status === "loaded").map(({ family }) => family))`,
    );
    return [...new Set(families.map((family) => family.replaceAll('"', "")))].sort();
  }

  #icon(name: string): Locator {
    return this.page.locator("mat-icon").getByText(name, { exact: true }).first();
  }

  get #input(): Locator {
    return this.page.locator("textarea.chat-input-box");
  }
}
