import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";

/** Folder for screenshots of the pages, for review. */
const PICTURES = process.env["CONSOLE_PICTURES"];
const APP = "weather";
const USER = `${"somebody-with-a-name-without-end-".repeat(3)}@example.com`;
const SESSION = "session-".repeat(12);

async function post(world: UiWorld, path: string, body: object = {}): Promise<{ readonly runId: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  expect([path, response.ok]).toEqual([path, true]);
  // A record of a run, or a session; only the record's id is read.
  return (await response.json()) as { readonly runId: string };
}

describe.skipIf(cannotRun("the console on a phone"))("the console on a phone", { timeout: 90_000 }, () => {
  it("needs no sideways scrolling, whatever names and messages have", async () => {
    await using world = await UiWorld.start();
    await post(world, `/apps/${APP}/users/${USER}/sessions/${SESSION}`);
    const newMessage = { role: "user", parts: [{ text: `What is the weather in ${"Paris".repeat(100)}?` }] };
    const { runId } = await post(world, "/v1/runs", { appName: APP, userId: USER, sessionId: SESSION, newMessage });
    for (const path of ["/console", `/console#${runId}`, "/console/inbox", "/console/evaluations"]) {
      const { page } = await world.openPage(path);
      await page.setViewportSize({ width: 390, height: 800 });
      if (path.startsWith("/console#")) await page.locator("#spans li").first().waitFor();
      if (path === "/console") await page.locator("#rows tr").waitFor();
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect([path, width]).toEqual([path, 390]);
      if (PICTURES === undefined) continue;
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({
        path: `${PICTURES}/narrow-${path.replaceAll(/\W/g, "").slice(0, 16)}.png`,
        fullPage: true,
      });
    }
  });
});
