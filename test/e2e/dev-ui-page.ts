import type { Locator, Page } from "playwright-core";

/** What a person does and sees in the developer UI. */
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
    const answer = this.page.waitForResponse((response) => response.url().endsWith("/run_sse"));
    await this.send(text);
    return (await answer).text();
  }

  /** The texts of the bubbles once there are this many. */
  async conversation(count: number): Promise<string[]> {
    await this.bubbles.nth(count - 1).waitFor();
    return (await this.bubbles.allInnerTexts()).map((text) => text.trim());
  }

  /** The chips of tool calls, of their answers, and of artifacts. */
  async chips(): Promise<string[]> {
    return this.page.locator("app-event-row .hover-info-button .mdc-button__label").allInnerTexts();
  }

  /** The families of icon fonts that are drawn, not only declared. */
  async loadedFonts(): Promise<string[]> {
    return this.page.evaluate(async () => {
      await document.fonts.ready;
      const loaded = [...document.fonts].filter(({ status }) => status === "loaded");
      return [...new Set(loaded.map(({ family }) => family.replaceAll('"', "")))].sort();
    });
  }

  get #input(): Locator {
    return this.page.locator("textarea.chat-input-box");
  }
}
