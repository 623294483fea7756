import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { writeFakeMicrophone } from "#test/helpers/live/fake-microphone.ts";
import { PageServer } from "#test/helpers/servers/page-server.ts";
import { TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
import { RestartableServer } from "#test/helpers/servers/restartable-server.ts";
import { cannotRun, fakeDevices, launchBrowser } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

const DEVICES = fakeDevices(writeFakeMicrophone());

/** The frames of the page's WebSocket, as they pass. */
function watchSocket(page: Page) {
  const sent: string[] = [];
  const received: { readonly interrupted?: boolean; readonly content?: { readonly parts?: readonly object[] } }[] = [];
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => sent.push(String(payload)));
    socket.on("framereceived", ({ payload }) => {
      const frame = JSON.parse(String(payload));
      // A client that can come back to its run gets events with their sequences.
      received.push(frame.event ?? frame);
    });
  });
  const audio = () => received.filter(({ content }) => JSON.stringify(content ?? {}).includes('"audio/pcm'));
  return { sent, received, audio };
}

describe.skipIf(cannotRun("live calls in the developer UI"))("a call in the developer UI", () => {
  it("sends the microphone, plays the answer, shows what was said, and is interrupted", async () => {
    await using world = await UiWorld.start(TELLER_AGENTS, {}, DEVICES);
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=slow_talker");
    const frames = watchSocket(page);
    const ui = new DevUiPage(page);
    await ui.startCall();
    // The model answers each tone of the microphone, and the next one interrupts it.
    await expect.poll(() => frames.sent.filter((text) => text.includes("audio/pcm")).length).toBeGreaterThan(3);
    await expect.poll(() => frames.audio().length, { timeout: 20_000 }).toBeGreaterThan(1);
    await expect.poll(() => frames.received.some(({ interrupted }) => interrupted), { timeout: 20_000 }).toBe(true);
    await expect
      .poll(() => page.locator("body").innerText(), { timeout: 20_000 })
      .toContain("What is the weather in Paris?");
    expect(pageErrors).toEqual([]);
  });
});

describe.skipIf(cannotRun("the sample call page"))("the sample call page on an origin of its own", () => {
  it("talks by voice and in writing, shows the transcript, and hangs up", async () => {
    await using pages = await PageServer.start();
    await using server = await RestartableServer.start({ environment: { CORS_ORIGINS: pages.origin } });
    const browser = await launchBrowser({}, DEVICES);
    await using _ = { [Symbol.asyncDispose]: () => browser.close() };
    const page = await browser.newPage();
    const frames = watchSocket(page);
    await page.goto(`${pages.origin}/call.html?server=${encodeURIComponent(server.url)}`);
    await page.getByRole("button", { name: "Call" }).click();
    await page.getByText("Connected.").waitFor();
    await expect.poll(() => frames.audio().length, { timeout: 20_000 }).toBeGreaterThan(1);
    await page.locator("li.user", { hasText: "What is the weather in Paris?" }).first().waitFor();
    await page.getByRole("button", { name: "Mute" }).click();
    await page.getByLabel("Message").fill("What is the weather in Rome?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("li.agent:not(.partial)", { hasText: "Rome" }).waitFor({ timeout: 20_000 });
    await page.getByRole("button", { name: "Hang up" }).click();
    await page.getByText("The call has ended.").waitFor();
  });

  it("calls again when the server was stopped and started", async () => {
    await using pages = await PageServer.start();
    await using server = await RestartableServer.start({ environment: { CORS_ORIGINS: pages.origin } });
    const browser = await launchBrowser({}, DEVICES);
    await using _ = { [Symbol.asyncDispose]: () => browser.close() };
    const page = await browser.newPage();
    await page.goto(`${pages.origin}/call.html?server=${encodeURIComponent(server.url)}`);
    await page.getByRole("button", { name: "Call" }).click();
    await page.getByText("Connected.").waitFor();
    await page.getByRole("button", { name: "Mute" }).click();
    await server.stop("SIGTERM");
    await server.startAgain();
    await page.getByLabel("Message").fill("What is the weather in Rome?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("li.agent:not(.partial)", { hasText: "Rome" }).waitFor({ timeout: 40_000 });
  });
});
