import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startFixtureServer } from "#test/a2a/fixture-server.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { BOOKING_AGENT } from "#test/helpers/worlds/booking-agent.ts";
import { cannotRun } from "../browser.ts";
import { DevUiPage } from "../dev-ui-page.ts";
import { UiWorld } from "../ui-world.ts";

/** Folder for screenshots of the page, for review. */
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
  // Both routes return a record or a session; only the record's id is read.
  return (await response.json()) as { readonly runId: string };
}

/** Starts a run of the bench agent, whose message sets the speed of its stream. */
async function begin(world: UiWorld, session: string, text: string): Promise<string> {
  const { runId } = await post(world, "/v1/runs", {
    appName: "bench",
    userId: "ada",
    sessionId: session,
    streaming: true,
    newMessage: { role: "user", parts: [{ text }] },
  });
  return runId;
}

const WEATHER = "What is the weather in Paris?";

/** A run of the sample in a session of its own. */
async function runWeather(
  world: UiWorld,
  place: { readonly userId: string; readonly sessionId: string },
): Promise<void> {
  const { userId, sessionId } = place;
  await post(world, `/apps/weather/users/${encodeURIComponent(userId)}/sessions/${sessionId}`);
  await post(world, "/run", { appName: "weather", ...place, newMessage: { role: "user", parts: [{ text: WEATHER }] } });
}

const LONG = "n=10000 d=20 s=5";
const SHORT = "n=3 d=5 s=5";

describe.skipIf(cannotRun("the console"))("the console", () => {
  it("lists runs, shows one live, and cancels and requeues it, all by keyboard", async () => {
    await using world = await UiWorld.start();
    for (const session of ["one", "two"]) await post(world, `/apps/bench/users/ada/sessions/${session}`);
    await begin(world, "one", SHORT);
    const running = await begin(world, "two", LONG);
    const { page, pageErrors } = await world.openPage("/console");

    const rows = page.locator("#rows tr");
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.nth(1).locator(".status").innerText()).toBe("succeeded");
    await expect
      .poll(() => rows.nth(0).locator("td").allInnerTexts())
      .toEqual([
        "running",
        expect.stringMatching(new RegExp(`^…[0-9a-f-]{12}\n${LONG}$`)),
        "bench",
        "ada\ntwo",
        "",
        "",
        expect.stringMatching(/ (?:ms|s)$/),
        expect.stringMatching(/ (?:ms|s)$/),
      ]);
    await picture(page, "list-light");

    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(`Run ${running}`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Run ${running}` }).waitFor();
    await expect.poll(() => page.locator("#stream-state").innerText()).toBe("live");
    const partial = page.locator("#partial");
    await expect.poll(async () => (await partial.innerText()).length).toBeGreaterThan(20);
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
    expect(pageErrors).toEqual([]);
  });

  it("filters, shows a finished run's events, and works dark and on a small screen", async () => {
    await using world = await UiWorld.start();
    for (const session of ["rain", "sun"]) await post(world, `/apps/weather/users/ada/sessions/${session}`);
    for (const session of ["rain", "sun"]) {
      await post(world, "/v1/runs", {
        appName: "weather",
        userId: "ada",
        sessionId: session,
        streaming: true,
        newMessage: { role: "user", parts: [{ text: "What is the weather in Paris?" }] },
      });
    }
    const { page, pageErrors } = await world.openPage("/console");
    const rows = page.locator("#rows tr");
    await expect.poll(() => rows.locator(".status").allInnerTexts()).toEqual(["succeeded", "succeeded"]);
    await page.getByLabel("Find").fill("rain");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await page.evaluate("location.search")).toBe("?find=rain");
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
    const events = page.locator("#events > li");
    await expect.poll(() => events.count()).toBe(3);
    expect((await events.nth(0).innerText()).split("\n")).toContain('→ get_weather({"city":"Paris"})');
    await events.nth(0).locator("summary").click();
    await expect.poll(() => events.nth(0).locator("pre").innerText()).toContain('"author": "weather"');
    await page.emulateMedia({ colorScheme: "dark" });
    await picture(page, "detail-dark");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await picture(page, "small-dark");
    expect(pageErrors).toEqual([]);
  });

  it("keeps its filters in the address: links show the same list, and the back button the one before", async () => {
    await using world = await UiWorld.start();
    for (const [user, session] of [
      ["ada", "rain"],
      ["grace", "sun"],
    ])
      await runWeather(world, { userId: user ?? "", sessionId: session ?? "" });
    const { page, pageErrors } = await world.openPage("/console?user=grace");
    const rows = page.locator("#rows tr");
    const sessions = () => rows.locator("td:nth-child(4) span:nth-child(2)").allInnerTexts();
    await expect.poll(sessions).toEqual(["sun"]);
    expect(await page.getByLabel("User").inputValue()).toBe("grace");
    await page.getByLabel("User").fill("");
    await page.keyboard.press("Enter");
    await expect.poll(sessions).toEqual(["sun", "rain"]);
    await page.getByLabel("Find").pressSequentially("Paris");
    await expect.poll(() => page.evaluate("location.search")).toBe("?find=Paris");
    await page.getByLabel("Status").selectOption("failed");
    await expect.poll(sessions).toEqual([]);
    await rows.first().waitFor({ state: "detached" });
    await page.goBack();
    await expect.poll(sessions).toEqual(["sun", "rain"]);
    expect(await page.getByLabel("Find").inputValue()).toBe("Paris");
    await page.goBack();
    await expect.poll(() => page.getByLabel("Find").inputValue()).toBe("");
    await page.goBack();
    await expect.poll(sessions).toEqual(["sun"]);
    expect(await page.getByLabel("User").inputValue()).toBe("grace");

    await rows.getByRole("link").click();
    await expect.poll(() => page.locator("#message").innerText()).toBe(WEATHER);
    await page.reload();
    await expect.poll(() => page.locator("#message").innerText()).toBe(WEATHER);
    await page.goBack();
    await expect.poll(() => page.locator("#detail").isVisible()).toBe(false);
    expect(pageErrors).toEqual([]);
  });

  it.each([
    ["Approve", "were approved and paid"],
    ["Reject", "rejected"],
  ])("%ss what a run waits for, and shows the run that answered", async (name, outcome) => {
    await using world = await UiWorld.start();
    await post(world, "/apps/expenses/users/ada/sessions/trip");
    const { runId } = await post(world, "/v1/runs", {
      appName: "expenses",
      userId: "ada",
      sessionId: "trip",
      newMessage: { role: "user", parts: [{ text: "Reimburse 250 euros for a chair" }] },
    });
    const { page, pageErrors } = await world.openPage("/console?status=awaiting_input");
    const rows = page.locator("#rows tr");
    await expect.poll(() => rows.locator(".status").allInnerTexts()).toEqual(["awaiting input"]);
    await rows.getByRole("link").click();
    await expect.poll(() => page.locator("#answer pre").innerText()).toContain('"amount": 250');
    await picture(page, `answer-${name}`);
    await page.getByRole("button", { name, exact: true }).click();
    await expect.poll(() => page.locator("#detail-title").innerText()).not.toBe(`Run ${runId}`);
    await expect.poll(() => page.locator("#detail-status").innerText()).toBe("succeeded");
    await expect.poll(() => page.locator("#events").innerText()).toContain(outcome);
    await page.getByText("No runs here.").waitFor();

    const answer = (await page.locator("#detail-title").innerText()).slice("Run ".length);
    await page.goto(`${world.url}/console#${runId}`);
    await expect.poll(() => page.locator("#detail-status").innerText()).toBe("answered");
    expect(await page.locator("#answer").isVisible()).toBe(false);
    await page.getByRole("link", { name: "Show the run that answered" }).click();
    await expect.poll(() => page.locator("#detail-title").innerText()).toBe(`Run ${answer}`);
    expect(pageErrors).toEqual([]);
  });

  it("answers a call that waits for a text, and a question with a payload", async () => {
    const folder = agentsFolder({ "booking/agent.ts": BOOKING_AGENT });
    await using world = await UiWorld.start(folder.path);
    await post(world, "/apps/booking/users/ada/sessions/s");
    await post(world, "/v1/runs", {
      appName: "booking",
      userId: "ada",
      sessionId: "s",
      newMessage: { role: "user", parts: [{ text: "Book some time" }] },
    });
    const { page, pageErrors } = await world.openPage("/console");
    await page.locator("#rows").getByRole("link").click();
    await page.getByLabel("Payload (JSON)").fill("{days");
    await page.getByRole("button", { name: "Approve" }).click();
    expect(await page.locator("#detail-status").innerText()).toBe("awaiting input");
    await page.getByLabel("Payload (JSON)").fill('{"days": 2}');
    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => page.locator("#events").innerText()).toContain('Booked: {\\"days\\":2}');

    await post(world, "/v1/runs", {
      appName: "booking",
      userId: "ada",
      sessionId: "s",
      newMessage: { role: "user", parts: [{ text: "What is the weather" }] },
    });
    await page.goto(`${world.url}/console?status=awaiting_input`);
    await page.locator("#rows").getByRole("link").click();
    await page.getByLabel("Answer (text or JSON)").fill("It rains");
    await page.getByRole("button", { name: "Send answer" }).click();
    await expect.poll(() => page.locator("#message").innerText()).toBe('weather_by_hand: {"result":"It rains"}');
    await expect.poll(() => page.locator("#detail-status").innerText()).toBe("succeeded");
    expect(pageErrors).toEqual([]);
  });

  it("shows that a run was started by another agent, and which remote agent it called", async () => {
    await using peer = await startFixtureServer();
    const agent = `import { RemoteA2AAgent } from "fairlead/a2a";
      export const rootAgent = new RemoteA2AAgent({ name: "desk", description: "Asks.", agentCard: "${peer.url}" });`;
    const folder = agentsFolder({ "desk/agent.ts": agent });
    const { host, hostname } = new URL(peer.url);
    await using world = await UiWorld.start(folder.path, { A2A_APPS: "desk", OUTBOUND_ALLOWED_HOSTS: host });
    const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Go." }] };
    await post(world, "/a2a/desk/message:send", { message });
    const { page, pageErrors } = await world.openPage("/console");
    await page.locator("#rows").getByRole("link").click();
    await expect.poll(() => page.locator("#facts").innerText()).toContain("Agent2Agent message m-1");
    await expect
      .poll(() => page.locator("#events").innerText())
      .toMatch(new RegExp(`remote agent http://${hostname}:\\d+/, task [0-9a-f-]{36}`));
    expect(pageErrors).toEqual([]);
  });

  it("leads from an empty list to the places where a run can be started", { timeout: 90_000 }, async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/console/");
    const start = page.locator("#start");
    await expect
      .poll(() => start.innerText())
      .toBe("To start one, send a message in the developer UI, or send a request on the API page.");
    expect(new URL(page.url()).pathname).toBe("/console");
    await page.getByLabel("Status").selectOption("failed");
    await page.getByText("No runs here.").waitFor();
    expect(await start.isVisible()).toBe(false);
    await page.getByLabel("Status").selectOption("");
    await start.getByRole("link", { name: "API page" }).click();
    await page
      .locator('[id="operations-runs-runAgent"]')
      .getByRole("button", { name: "Execute" })
      .waitFor({ timeout: 30_000 });
    await page.goto(`${world.url}/console`);
    await start.getByRole("link", { name: "developer UI" }).click();
    await page.waitForURL("**/dev-ui/**");
    expect(pageErrors).toEqual([]);
  });

  it("leads to the session in the developer UI, to the API page, and back", async () => {
    await using world = await UiWorld.start();
    await runWeather(world, { userId: "ada & co", sessionId: "rain" });
    const { page, pageErrors } = await world.openPage("/console");
    await page.locator("#rows").getByRole("link").click();
    await page.getByRole("link", { name: "Open the session in the developer UI" }).click();
    const ui = new DevUiPage(page);
    await expect.poll(async () => (await ui.conversation())[0]).toBe(WEATHER);
    await page.goto(`${world.url}/console`);
    await page.getByRole("navigation").getByRole("link", { name: "API" }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "All runs" }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("keeps its layout with the longest ids at 1280 by 800", async () => {
    await using world = await UiWorld.start();
    const longest = "abcdefgh".repeat(32);
    await runWeather(world, { userId: longest, sessionId: longest });
    const { page, pageErrors } = await world.openPage("/console");
    const row = page.locator("#rows tr");
    await expect.poll(() => row.count()).toBe(1);
    const fits = () => page.evaluate("document.documentElement.scrollWidth <= innerWidth");
    const height = async () => (await row.boundingBox())?.height ?? Number.POSITIVE_INFINITY;
    expect([await fits(), (await height()) < 80]).toEqual([true, true]);
    await row.getByRole("link").click();
    await page.locator("#message").waitFor();
    expect([await fits(), (await height()) < 80]).toEqual([true, true]);
    await picture(page, "longest-ids");
    expect(pageErrors).toEqual([]);
  });
});
