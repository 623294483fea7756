import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { cannotRun } from "../browser.ts";
import { DevUiPage } from "../dev-ui-page.ts";
import { UiWorld, type WatchedPage } from "../ui-world.ts";
import { CHAT, CONVERSATION, type Control, EVALUATION_SETS, UI_VERSION, visibleControls } from "./controls.ts";

const VERSION_FILE = new URL("../../../.dev-ui/.version", import.meta.url);
/** Reports of the browser and the UI on requests that are refused here, and on a machine without a microphone. */
const REFUSALS = /microphone|the server responded with a status of 4|^page: _o$/;

/** The page with one answered question. */
async function openConversation(world: UiWorld): Promise<WatchedPage> {
  const opened = await world.openPage("/dev-ui/?app=weather");
  opened.page.setDefaultTimeout(8000);
  await opened.page.setViewportSize({ width: 1400, height: 900 });
  await new DevUiPage(opened.page).sendAndFollow(CHAT);
  await expect.poll(() => opened.page.locator("app-event-row").count()).toBe(4);
  return opened;
}

/** Tries each control, and returns what it was found to do. */
async function tryAll(page: Page, controls: readonly Control[]): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  for (const { name, outcome, check } of controls) {
    // A card that is shown beside the pointer covers what is next.
    await page.mouse.move(0, 0);
    const failure = await check?.(page).then(
      () => undefined,
      (error: Error) => error.message.slice(0, 300),
    );
    found.push([name, failure ?? outcome]);
  }
  return found;
}

const expected = (controls: readonly Control[]) => controls.map(({ name, outcome }) => [name, outcome]);

describe.skipIf(cannotRun("the controls of the developer UI"))(
  "each control of the developer UI",
  { timeout: 180_000 },
  () => {
    it("works, or says why it does not, in a conversation", async () => {
      expect(readFileSync(VERSION_FILE, "utf8").trim()).toBe(UI_VERSION);
      await using world = await UiWorld.start();
      const { page, pageErrors } = await openConversation(world);
      const shown = await visibleControls(page);
      expect(await tryAll(page, CONVERSATION)).toEqual(expected(CONVERSATION));
      expect(shown).toEqual(CONVERSATION.map(({ name }) => name).sort());
      expect(pageErrors.filter((error) => !REFUSALS.test(error))).toEqual([]);
    });

    it("works, or says why it does not, with evaluation sets", async () => {
      await using world = await UiWorld.start();
      const { page, pageErrors } = await openConversation(world);
      expect(await tryAll(page, EVALUATION_SETS)).toEqual(expected(EVALUATION_SETS));
      expect(pageErrors.filter((error) => !REFUSALS.test(error))).toEqual([]);
    });
  },
);
