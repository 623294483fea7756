import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { cannotRun } from "./browser.ts";
import { UiWorld } from "./ui-world.ts";

/** Where to keep pictures of the page, for a person to look at. */
const PICTURES = process.env["CONSOLE_PICTURES"];

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

async function post(world: UiWorld, path: string, body?: object): Promise<{ readonly runId: string }> {
  const response = await fetch(world.url + path, {
    method: "POST",
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  // Both routes that are asked answer a record or a session; only the record's id is read.
  return (await response.json()) as { readonly runId: string };
}

/** Starts a run of the agent that streams as slowly as it is told. */
async function begin(world: UiWorld, session: string, text: string): Promise<string> {
  const { runId } = await post(world, "/v1/runs", {
    ...{ appName: "bench", userId: "ada", sessionId: session, streaming: true },
    newMessage: { role: "user", parts: [{ text }] },
  });
  return runId;
}

const LONG = "n=2000 d=20 s=5";
const SHORT = "n=3 d=5 s=5";

describe.skipIf(cannotRun("the console"))("the console", () => {
  it("lists runs, shows one live, and cancels and requeues it, all by keyboard", async () => {
    await using world = await UiWorld.start();
    for (const session of ["one", "two"]) await post(world, `/apps/bench/users/ada/sessions/${session}`);
    await begin(world, "one", SHORT);
    const running = await begin(world, "two", LONG);
    const { page, complaints } = await world.openPage("/console");

    const rows = page.locator("#rows tr");
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.nth(1).locator(".status").innerText()).toBe("succeeded");
    expect(await rows.nth(0).locator("td").allInnerTexts()).toEqual([
      "running",
      expect.stringMatching(/^…[0-9a-f-]{12}$/),
      "bench",
      "ada\ntwo",
      "1",
      "standalone\nepoch 1",
      expect.stringMatching(/ (?:ms|s)$/),
      expect.stringMatching(/ (?:ms|s)$/),
    ]);
    await picture(page, "list-light");

    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the runs");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(`Run ${running}`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Run ${running}` }).waitFor();
    await expect.poll(() => page.locator("#stream-state").innerText()).toBe("live");
    const piece = page.locator("#piece");
    await expect.poll(async () => (await piece.innerText()).length).toBeGreaterThan(20);
    await picture(page, "detail-light");

    expect(await page.evaluate("document.activeElement.id")).toBe("detail-title");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.id")).toBe("cancel");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#detail-status").innerText()).toBe("cancelled");
    await expect.poll(() => page.locator("#stream-state").innerText()).toBe("complete");
    expect(await page.getByRole("button", { name: "Cancel", exact: true }).isDisabled()).toBe(true);

    await page.getByRole("button", { name: "Requeue", exact: true }).press("Enter");
    await expect.poll(() => rows.count()).toBe(3);
    await expect.poll(() => page.locator("#detail-title").innerText()).not.toBe(`Run ${running}`);
    await expect.poll(() => page.locator("#detail-status").innerText()).toBe("running");
    const again = (await page.locator("#detail-title").innerText()).slice("Run ".length);
    await page.keyboard.press("Escape");
    expect(await page.locator("#detail").isVisible()).toBe(false);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(`Run ${again}`);
    await post(world, `/v1/runs/${again}/cancel`);
    await expect.poll(() => rows.nth(0).locator(".status").innerText()).toBe("cancelled");
    expect(complaints).toEqual([]);
  });

  it("filters, shows a finished run's events, and works dark and on a small screen", async () => {
    await using world = await UiWorld.start();
    for (const session of ["rain", "sun"]) await post(world, `/apps/weather/users/ada/sessions/${session}`);
    for (const session of ["rain", "sun"]) {
      await post(world, "/v1/runs", {
        ...{ appName: "weather", userId: "ada", sessionId: session, streaming: true },
        newMessage: { role: "user", parts: [{ text: "What is the weather in Paris?" }] },
      });
    }
    const { page, complaints } = await world.openPage("/console");
    const rows = page.locator("#rows tr");
    await expect.poll(() => rows.locator(".status").allInnerTexts()).toEqual(["succeeded", "succeeded"]);
    await page.getByLabel("Find").fill("rain");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel("Status").selectOption("failed");
    await page.getByText("No runs here.").waitFor();
    await page.getByLabel("Status").selectOption("");
    await page.getByLabel("App").fill("bench");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows.count()).toBe(0);
    await page.getByLabel("App").fill("weather");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows.count()).toBe(1);

    await rows.getByRole("link").click();
    const events = page.getByRole("log").locator("li");
    await expect.poll(() => events.count()).toBe(3);
    expect((await events.nth(0).innerText()).split("\n")).toContain('→ get_weather({"city":"Paris"})');
    await events.nth(0).locator("summary").click();
    await expect.poll(() => events.nth(0).locator("pre").innerText()).toContain('"author": "weather"');
    await page.emulateMedia({ colorScheme: "dark" });
    await picture(page, "detail-dark");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await picture(page, "small-dark");
    expect(complaints).toEqual([]);
  });
});
