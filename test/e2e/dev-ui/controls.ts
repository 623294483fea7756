import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The release of the developer UI whose controls the tables list. */
export const UI_VERSION = "v1.0.0";

/**
 * How a control behaves on this server. `works`: it does what it says. `says why`: it cannot, and the page gives the reason in
 * words. `elsewhere`: the named test file operates it.
 */
type Outcome = "works" | "says why" | `elsewhere: ${string}`;

export interface Control {
  /** Its icon, label or text, as `visibleControls` names it. */
  readonly name: string;
  readonly outcome: Outcome;
  /** Operates the control and waits for what it has to show; absent for one that another test operates. */
  readonly check?: (page: Page) => Promise<void>;
}

export const CHAT = "What is the weather in Paris?";

function icon(root: Page | Locator, name: string): Locator {
  return root
    .locator("button")
    .filter({ has: pageOf(root).locator("mat-icon", { hasText: new RegExp(`^\\s*${name}\\s*$`) }) });
}

function pageOf(root: Page | Locator): Page {
  return "page" in root ? root.page() : root;
}

function sees(text: string | RegExp) {
  return async (page: Page) => {
    await expect.poll(() => page.locator("body").innerText()).toMatch(text);
  };
}

function clicking(locate: (page: Page) => Locator, seen: string | RegExp, isOverlay = false) {
  return async (page: Page) => {
    await locate(page).click();
    await sees(seen)(page);
    if (isOverlay) await closeOverlay(page);
  };
}

async function closeOverlay(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".cdk-overlay-backdrop-showing").count()).toBe(0);
}

const SIDE_PANEL = "app-side-panel";
const side = (page: Page, name: string) => icon(page.locator(SIDE_PANEL), name).first();
const inSide = (name: string, seen: string | RegExp): Control => ({
  name: `side: ${name}`,
  outcome: "works",
  check: clicking((page) => side(page, name), seen),
});
const menuOf = (page: Page, open: Locator, item: string) => async () => {
  await open.click();
  await page.getByRole("menuitem", { name: item }).click();
};

/** The controls of a conversation with one answered question, in the order in which they are tried. */
export const CONVERSATION: readonly Control[] = [
  {
    name: "tab: Info",
    outcome: "works",
    check: clicking((page) => page.getByRole("tab", { name: "Info" }), /Event \d of 4/),
  },
  { name: "check", outcome: "works", check: clicking((page) => icon(page, "check"), "Event 3 of 4") },
  { name: "bolt", outcome: "works", check: clicking((page) => icon(page, "bolt"), "FUNCTION CALL") },
  inSide("info", "Invocation ID"),
  inSide("account_tree", "get_weather"),
  inSide("input", /TRACE_CONTENT=true/),
  inSide("output", "Response"),
  inSide("analytics", "Usage Summary for Session"),
  inSide("published_with_changes", /state changes/i),
  inSide("data_object", "invocationId"),
  {
    name: "side: Previous Event",
    outcome: "works",
    check: clicking((page) => page.getByLabel("Previous Event"), "Event 1 of 4"),
  },
  {
    name: "side: Next Event",
    outcome: "works",
    check: clicking((page) => page.getByLabel("Next Event"), "Event 2 of 4"),
  },
  {
    name: "side: fullscreen",
    outcome: "works",
    check: async (page) => {
      await side(page, "account_tree").click();
      await graph(page, side(page, "fullscreen"));
    },
  },
  {
    name: "side: invocation",
    outcome: "works",
    check: async (page) => {
      await page.locator(".invocation-selector-button").click();
      await page.locator(".cdk-overlay-container button", { hasText: "#1" }).click();
      await expect.poll(() => page.locator(".cdk-overlay-backdrop").count()).toBe(0);
    },
  },
  {
    name: "side: remove_selection",
    outcome: "works",
    check: clicking((page) => icon(page, "remove_selection"), "Select an event or trace span to view details"),
  },
  {
    name: "tab: State",
    outcome: "works",
    check: clicking((page) => page.getByRole("tab", { name: "State" }), "__session_metadata__"),
  },
  {
    name: "tab: Artifacts",
    outcome: "says why",
    check: async (page) => {
      await page.getByRole("tab", { name: "Artifacts" }).click();
      const empty = "getComputedStyle(document.querySelector('.artifact-container'), '::after').content";
      await expect.poll(() => page.evaluate(empty)).toBe('"This session has no artifacts."');
    },
  },
  {
    name: "tab: Evals",
    outcome: "works",
    check: clicking((page) => page.getByRole("tab", { name: "Evals" }), "Create New Evaluation Set"),
  },
  {
    name: "radio: Traces",
    outcome: "works",
    check: clicking((page) => page.getByRole("radio", { name: "Traces" }), "Total latency"),
  },
  {
    name: "radio: Events",
    outcome: "works",
    check: clicking((page) => page.getByRole("radio", { name: "Events" }), "(demo model)"),
  },
  {
    name: "Add a filter",
    outcome: "works",
    check: clicking((page) => page.locator(".add-filter-btn"), /Invocation\s+Node\s+Final/, true),
  },
  { name: "refresh", outcome: "works", check: refresh },
  {
    name: "more_vert",
    outcome: "works",
    check: async (page) => {
      for (const item of ["Branches", "Streaming"]) {
        await page.getByLabel("More options").click();
        const box = page.getByRole("menuitem", { name: item }).locator("mat-icon");
        const before = await box.innerText();
        await box.click();
        await expect.poll(() => box.innerText()).not.toBe(before);
        await closeOverlay(page);
      }
    },
  },
  { name: "account_tree", outcome: "works", check: (page) => graph(page, icon(page, "account_tree").first()) },
  {
    name: "edit",
    outcome: "says why",
    check: async (page) => {
      await icon(page, "edit").locator("xpath=..").hover({ force: true });
      await sees("Editing is not available for this agent because it was not built by the builder")(page);
      await page.mouse.move(700, 500);
    },
  },
  {
    name: "light_mode",
    outcome: "works",
    check: async (page) => {
      const ground = () => page.evaluate<string>("document.documentElement.className + document.body.className");
      const before = await ground();
      await icon(page, "light_mode").click();
      await expect.poll(ground).not.toBe(before);
      await icon(page, "dark_mode").click();
      await expect.poll(ground).toBe(before);
    },
  },
  { name: "account_circle", outcome: "works", check: user },
  { name: "robot_2", outcome: "works", check: apps },
  { name: "chat", outcome: "elsewhere: dev-ui-sessions.test.ts" },
  { name: "menu", outcome: "works", check: sidePanel },
  { name: "add", outcome: "works", check: addMenu },
  { name: "send", outcome: "works", check: send },
  { name: "call", outcome: "says why", check: call },
  {
    name: "add_comment",
    outcome: "works",
    check: clicking((page) => icon(page, "add_comment"), "An agent with one tool. Ask it:"),
  },
];

/** The controls of evaluation sets, in the order in which they are tried. */
export const EVALUATION_SETS: readonly Control[] = [
  {
    name: "Create Evaluation Set",
    outcome: "says why",
    check: async (page) => {
      await page.getByRole("tab", { name: "Evals" }).click();
      await page.getByText("Create Evaluation Set", { exact: true }).last().click();
      const dialog = page.locator("mat-dialog-container");
      await dialog.locator("input").first().fill("no/name");
      await dialog.getByRole("button", { name: "Create" }).click();
      await expect.poll(() => page.getByRole("alert").innerText()).toMatch(/no\/name|name|letters/);
    },
  },
  {
    name: "Create",
    outcome: "works",
    check: async (page) => {
      const dialog = page.locator("mat-dialog-container");
      await dialog.locator("input").first().fill("cities");
      await dialog.getByRole("button", { name: "Create" }).click();
      await page.locator("app-side-panel").getByText("cities", { exact: true }).click();
      await sees("No Eval Cases")(page);
    },
  },
  {
    name: "Run All",
    outcome: "says why",
    check: async (page) => {
      expect(await page.getByRole("button", { name: "Run All" }).isDisabled()).toBe(true);
      await sees("Add a session to this set to get started.")(page);
    },
  },
  {
    name: "From Current Session",
    outcome: "works",
    check: async (page) => {
      await page.getByRole("button", { name: "From Current Session" }).click();
      const dialog = page.locator("mat-dialog-container");
      await dialog.locator("input").first().fill("paris");
      await dialog.getByRole("button", { name: "Create" }).click();
      await page.locator("app-side-panel").getByText("paris").first().waitFor();
    },
  },
  {
    name: "side: history",
    outcome: "works",
    check: clicking((page) => side(page, "history"), /No .*(?:runs|results)|Runs/i),
  },
  { name: "side: info", outcome: "works", check: clicking((page) => side(page, "info"), "cities") },
  { name: "side: list", outcome: "works", check: clicking((page) => side(page, "list"), "paris") },
  { name: "side: refresh", outcome: "works", check: clicking((page) => side(page, "refresh"), "paris") },
  { name: "side: home", outcome: "works", check: clicking((page) => side(page, "home"), "Eval Sets") },
  {
    name: "side: delete",
    outcome: "works",
    check: async (page) => {
      await side(page, "delete").click();
      const dialog = page.locator("mat-dialog-container");
      await dialog.getByRole("button", { name: "Delete" }).click();
      await expect.poll(() => page.locator("app-side-panel").getByText("cities", { exact: true }).count()).toBe(0);
    },
  },
];

async function refresh(page: Page): Promise<void> {
  const read = page.waitForResponse((response) => /\/users\/user\/sessions\/[^/]+$/.test(response.url()));
  await icon(page, "refresh").last().click();
  expect((await read).status()).toBe(200);
}

async function graph(page: Page, button: Locator): Promise<void> {
  await button.click();
  await sees("Agent Structure:")(page);
  await icon(page, "close").first().click();
  await expect.poll(() => page.getByText("Agent Structure:").count()).toBe(0);
}

async function user(page: Page): Promise<void> {
  await page.getByLabel("User menu").click();
  await sees("USER ID")(page);
  await page.locator(".cdk-overlay-container").getByLabel("Edit").click();
  await page.locator(".cdk-overlay-container").getByLabel("Cancel").click();
  await closeOverlay(page);
}

async function apps(page: Page): Promise<void> {
  await page.locator(".selector-button").first().click();
  await sees("Select an App")(page);
  expect(await page.getByLabel("Create new agent").isVisible()).toBe(true);
  await page.getByLabel("Close app selector").click();
  await expect.poll(() => page.getByText("Select an App", { exact: true }).count()).toBe(0);
}

async function sidePanel(page: Page): Promise<void> {
  const isOpen = () => page.getByRole("tab", { name: "Evals" }).isVisible();
  await page.getByLabel("Toggle side panel").click();
  await expect.poll(isOpen).toBe(false);
  await page.getByLabel("Toggle side panel").click();
  await expect.poll(isOpen).toBe(true);
}

async function addMenu(page: Page): Promise<void> {
  const open = page.locator(".input-prefix-menu-btn");
  const chooser = page.waitForEvent("filechooser");
  await menuOf(page, open, "Upload local file")();
  await chooser;
  await menuOf(page, open, "Update state")();
  const dialog = page.locator("mat-dialog-container");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => dialog.count()).toBe(0);
}

async function send(page: Page): Promise<void> {
  await page.locator("textarea.chat-input-box").fill("And in Rome?");
  await icon(page, "send").click();
  await expect.poll(() => page.locator("app-event-row").count()).toBeGreaterThan(4);
}

/** The page has no microphone here and the app no live model: the second is what it has to say. */
async function call(page: Page): Promise<void> {
  await icon(page, "call").click();
  await sees("has no live connection: choose a live model")(page);
  await page.getByRole("button", { name: "OK" }).click();
}

/** Names what can be operated now: by icon, else by label, else by text; controls of the side panel by their place too. */
export function visibleControls(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...new Set([...document.querySelectorAll("button, [role=tab]")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .map((each) => {
      const role = each.getAttribute("role");
      if (role === "tab" || role === "radio") return role + ": " + each.innerText.trim().split("\\n")[0];
      const icon = each.querySelector("mat-icon")?.innerText.trim();
      const label = each.getAttribute("aria-label") ?? each.getAttribute("mattooltip");
      if (each.matches(".invocation-selector-button")) return "side: invocation";
      const isIcon = /^[a-z0-9_]+$/.test(icon ?? "") && icon !== "arrow_drop_down";
      const name = each.matches(".add-filter-btn") || !isIcon ? (label ?? each.className.split(" ").at(-1)) : icon;
      return (each.closest("${SIDE_PANEL}") ? "side: " : "") + name;
    }))].sort()`);
}
