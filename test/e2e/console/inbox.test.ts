import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { BOOKING_AGENT } from "#test/helpers/worlds/booking-agent.ts";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";

/** Folder for screenshots of the page, for review. */
const PICTURES = process.env["CONSOLE_PICTURES"];

async function say(world: UiWorld, appName: string, sessionId: string, text: string): Promise<void> {
  const post = async (path: string, body: object = {}) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect([path, response.status]).toEqual([path, 200]);
    await response.text();
  };
  await post(`/apps/${appName}/users/ada/sessions/${sessionId}`);
  await post("/run", { appName, userId: "ada", sessionId, newMessage: { role: "user", parts: [{ text }] } });
}

describe.skipIf(cannotRun("the inbox"))("the inbox", () => {
  it("shows what waits over all sessions, takes answers in place, and keeps what is being typed", async () => {
    const folder = agentsFolder({ "booking/agent.ts": BOOKING_AGENT });
    await using world = await UiWorld.start(folder.path);
    await say(world, "booking", "first", "Book some time");
    const { page, pageErrors } = await world.openPage("/console/inbox");
    const entries = page.locator("#entries > li");
    await expect.poll(() => entries.locator("h3").allInnerTexts()).toEqual(["Approve book_time"]);
    expect(await page.title()).toBe("(1) Inbox · Fairlead");
    await page.getByLabel("Payload (JSON)").fill('{"days": 2}');

    await say(world, "booking", "second", "What is the weather");
    await expect
      .poll(() => entries.locator("h3").allInnerTexts(), { timeout: 15_000 })
      .toEqual(["Finish weather_by_hand", "Approve book_time"]);
    expect(await page.getByLabel("Payload (JSON)").inputValue()).toBe('{"days": 2}');
    expect(await entries.nth(1).innerText()).toContain("How many days?");
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: `${PICTURES}/inbox.png`, fullPage: true });
      await page.setViewportSize({ width: 390, height: 800 });
      await page.screenshot({ path: `${PICTURES}/inbox-narrow.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);

    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => entries.locator("h3").allInnerTexts()).toEqual(["Finish weather_by_hand"]);
    await page.getByLabel("Answer (text or JSON)").fill("It rains");
    await page.getByRole("button", { name: "Send answer" }).click();
    await page.getByText("Nothing waits.").waitFor();
    await expect.poll(() => page.title()).toBe("Inbox · Fairlead");
    const events = await (await fetch(`${world.url}/apps/booking/users/ada/sessions/first`)).text();
    await expect.poll(async () => events).toContain('{\\"days\\":2}');
    expect(pageErrors).toEqual([]);
  });

  it("claims an entry and releases it, on a server that keeps claims, and keeps what is being typed", async () => {
    verifies("platform:inbox:claims");
    const folder = agentsFolder({ "booking/agent.ts": BOOKING_AGENT });
    await using world = await UiWorld.start(folder.path, { INBOX: "memory" });
    await say(world, "booking", "first", "Book some time");
    const { page, pageErrors } = await world.openPage("/console/inbox");
    await page.getByLabel("Payload (JSON)").fill('{"days": 2}');
    await page.getByRole("button", { name: "Claim" }).click();
    await page.getByText("Claimed by you").waitFor();
    await page.getByRole("button", { name: "Release" }).click();
    await page.getByRole("button", { name: "Claim" }).waitFor();
    expect(await page.getByText("Claimed by you").count()).toBe(0);
    expect(await page.getByLabel("Payload (JSON)").inputValue()).toBe('{"days": 2}');
    expect(pageErrors).toEqual([]);
  });

  it("shows a refusal where somebody else has answered", async () => {
    const folder = agentsFolder({ "booking/agent.ts": BOOKING_AGENT });
    await using world = await UiWorld.start(folder.path);
    await say(world, "booking", "first", "Book some time");
    const { page } = await world.openPage("/console/inbox?app=booking&user=ada");
    await page.getByRole("button", { name: "Approve" }).waitFor();
    const inbox = await fetch(`${world.url}/v1/inbox`);
    // The schema of the route's answer is part of the server's API description.
    const { entries } = (await inbox.json()) as { readonly entries: readonly { readonly id: string }[] };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ confirmed: false });
    await fetch(`${world.url}/v1/inbox/${entries[0]?.id}`, { method: "POST", headers, body });
    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => page.locator("#connection").innerText()).toContain("does not wait for an answer");
  });
});
