import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#kit/platform/json.ts";
import { startDialectServer } from "#test/helpers/dialects/dialect-server.ts";
import { OPENAI_DIALECTS } from "#test/helpers/dialects/openai-dialects.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

/** Folder for screenshots of the pages, for review. */
const PICTURES = process.env["UI_PICTURES"];
const SHOP = "name: shop\nmodel: demo/chat\ninstruction: x\n";
const POET = "name: poet\nmodel: demo/chat\ninstruction: Write a poem about the sea.\n";

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

async function createApp(page: Page, name: string): Promise<void> {
  await page.locator(".selector-button").first().click();
  await page.getByLabel("Create new agent").click();
  const dialog = page.locator("mat-dialog-container");
  const create = dialog.getByRole("button", { name: "Create" });
  // The UI empties the field once more after it has shown it.
  await expect
    .poll(async () => {
      await dialog.locator("input").fill(name);
      return create.isEnabled();
    })
    .toBe(true);
  await create.click();
  await page.locator("app-canvas").getByText(name).first().waitFor();
}

/** The contrast of an agent's name on the canvas, and of the text of the save button, as WCAG computes it. */
function contrasts(page: Page): Promise<Readonly<Record<string, number>>> {
  return page.evaluate(`(() => {
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    const groundOf = (element) => {
      const ground = channels(getComputedStyle(element).backgroundColor);
      return ground[3] === 0 ? groundOf(element.parentElement) : ground;
    };
    const contrast = (selector) => {
      const element = document.querySelector(selector);
      const [low, high] = [channels(getComputedStyle(element).color), groundOf(element)].map(light).sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    return { agent: contrast("app-canvas .node-title"), save: contrast("app-builder-tabs .save-button") };
  })()`);
}

/** A model that reads the definitions, writes the poet, and says so. */
async function startModel() {
  const [dialect] = OPENAI_DIALECTS;
  if (dialect === undefined) throw new Error("No dialect.");
  const usage = { prompt: 10, output: 5, thoughts: 0, cached: 0 };
  const call = (name: string, args: JsonObject) => ({ text: "", calls: [{ name, args }] });
  const steps = [
    call("read_definitions", {}),
    call("save_definitions", { files: [{ path: "root_agent.yaml", text: POET }] }),
    { text: "It writes about the sea now.", calls: [] },
  ];
  return startDialectServer(() => ({
    dialect,
    answer: { thought: "", end: "done", usage, ...(steps.shift() ?? { text: "No more.", calls: [] }) },
  }));
}

describe.skipIf(cannotRun("new apps in the developer UI"))(
  "a new app in the developer UI",
  { timeout: 120_000 },
  () => {
    it("is created, listed as a draft, saved and chatted with, without a key", async () => {
      const folder = agentsFolder({ "shop/root_agent.yaml": SHOP });
      await using world = await UiWorld.start(folder.path);
      const { page, pageErrors } = await world.openPage("/dev-ui/?app=shop");
      await createApp(page, "poet");
      // What to set, instead of dots without end.
      await page.locator("app-builder-assistant").getByText("Set EDITOR_MODEL").waitFor();
      for (const theme of ["dark", "light"]) {
        expect([theme, await contrasts(page)]).toEqual([
          theme,
          { agent: expect.any(Number), save: expect.any(Number) },
        ]);
        for (const contrast of Object.values(await contrasts(page))) expect(contrast).toBeGreaterThan(4.5);
        await picture(page, `builder-${theme}`);
        await page
          .locator("app-builder-tabs mat-icon")
          .getByText(/^(?:light|dark)_mode$/)
          .first()
          .click();
      }
      const listed = async () => (await fetch(`${world.url}/list-apps`)).json();
      const file = join(folder.path, "poet/root_agent.yaml");
      expect([await listed(), existsSync(file)]).toEqual([["poet", "shop"], false]);
      await page.locator("app-builder-tabs").getByRole("button", { name: "Save" }).click();
      await expect.poll(() => existsSync(file)).toBe(true);
      const ui = new DevUiPage(page);
      await page.locator("textarea.chat-input-box").waitFor();
      await ui.sendAndFollow("Hello there");
      await expect.poll(() => ui.conversation()).toContainEqual(expect.stringContaining("set a model with a key"));
      await picture(page, "first-answer");
      expect(pageErrors).toEqual([]);
    });

    it("answers while it is a draft, and is gone when its changes are cancelled", async () => {
      const folder = agentsFolder({ "shop/root_agent.yaml": SHOP });
      await using world = await UiWorld.start(folder.path);
      const { page } = await world.openPage("/dev-ui/?app=shop");
      await createApp(page, "poet");
      await page.goto(`${world.url}/dev-ui/?app=poet`);
      const ui = new DevUiPage(page);
      await page.locator("textarea.chat-input-box").waitFor();
      await ui.sendAndFollow("Hello there");
      await expect.poll(() => ui.conversation()).toContainEqual(expect.stringContaining("You said: “Hello there”"));
      await page.goto(`${world.url}/dev-ui/?app=poet&mode=builder`);
      await page.locator("app-canvas").getByText("poet").first().waitFor();
      await page.locator("app-builder-tabs").getByRole("button", { name: "Cancel" }).click();
      const listed = async () => (await fetch(`${world.url}/list-apps`)).json();
      await expect.poll(listed).toEqual(["shop"]);
      expect(existsSync(join(folder.path, "poet"))).toBe(false);
    });

    it("is changed by the assistant, as a draft that the canvas shows, until it is saved", async () => {
      await using model = await startModel();
      const folder = agentsFolder({ "shop/root_agent.yaml": SHOP });
      await using world = await UiWorld.start(folder.path, {
        EDITOR_MODEL: "openai/house-model",
        OPENAI_BASE_URL: model.url,
      });
      const { page, pageErrors } = await world.openPage("/dev-ui/?app=shop");
      await createApp(page, "poet");
      const assistant = page.locator("app-builder-assistant");
      await assistant.getByText("Tell me what your agent should do").waitFor();
      expect(model.requests).toEqual([]);
      await assistant.locator("textarea").fill("It should write about the sea");
      await assistant.locator("textarea").press("Enter");
      await assistant.getByText("It writes about the sea now.").waitFor();
      const instructions = page.locator("app-builder-tabs textarea").first();
      await expect.poll(() => instructions.inputValue()).toBe("Write a poem about the sea.");
      await picture(page, "assistant");
      const file = join(folder.path, "poet/root_agent.yaml");
      expect(existsSync(file)).toBe(false);
      await page.locator("app-builder-tabs").getByRole("button", { name: "Save" }).click();
      await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toContain("about the sea");
      expect(pageErrors).toEqual([]);
    });

    it("is not offered where the editor is off", async () => {
      const folder = agentsFolder({ "shop/root_agent.yaml": SHOP });
      await using world = await UiWorld.start(folder.path, { AGENT_EDITOR: "false" });
      const { page } = await world.openPage("/dev-ui/?app=shop");
      await page.locator(".selector-button").first().click();
      await page.locator(".app-selector-item-name").getByText("shop", { exact: true }).waitFor();
      expect(await page.getByLabel("Create new agent").isVisible()).toBe(false);
    });
  },
);
