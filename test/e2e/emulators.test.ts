import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { EmulatedPlatform, whyNoEmulators } from "#test/helpers/servers/emulated-platform.ts";
import { cannotRun, launchBrowser } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";

const QUESTION = "What is the weather in Paris?";
const ANSWER = "(demo model) The weather station says: It is foggy in Paris, at 22 °C.";
const JSON_HEADER = ["-H", "content-type: application/json"];

async function curl(url: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("curl", ["--silent", "--show-error", "--fail-with-body", ...args, url]);
  return stdout;
}

const cannot = cannotRun("the platform on emulators") || (await whyNoEmulators()) !== undefined;

describe.skipIf(cannot)("the platform on emulators", { timeout: 120_000 }, () => {
  it("has one conversation in the developer UI and with curl, and one picture in the page and the bucket", async () => {
    await using platform = await EmulatedPlatform.start("--agents=agents");
    await using browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(20_000);
    await page.goto(`${platform.url}/dev-ui/?app=weather`);
    const ui = new DevUiPage(page);
    await ui.switchStreamingOn();
    const answered = page.waitForResponse((response) => response.url().endsWith("/run_sse"));
    const text = await ui.sendAndFollow(QUESTION);
    const response = await answered;
    expect(text.match(/"partial":true/g)).toHaveLength(ANSWER.split(" ").length);
    await expect.poll(() => ui.conversation()).toEqual([QUESTION, ANSWER]);
    expect(await platform.streamedText()).toContain("partial");
    const { sessionId, userId } = response.request().postDataJSON() as { sessionId: string; userId: string };
    const stored = await platform.storedEvents("weather", userId, sessionId);
    expect(stored).toHaveLength(4);
    expect(stored.at(-1)).toContain(ANSWER);

    await curl(`${platform.url}/apps/weather/users/${userId}/sessions/by-curl`, "-X", "POST");
    const message = { appName: "weather", userId, sessionId: "by-curl", newMessage: { parts: [{ text: QUESTION }] } };
    const body = ["--data", JSON.stringify(message), ...JSON_HEADER];
    const [called, reported, final] = JSON.parse(await curl(`${platform.url}/run`, ...body)) as readonly object[];
    expect([called, reported, final]).toMatchObject([
      { content: { parts: [{ functionCall: { name: "get_weather" } }] } },
      { content: { parts: [{ functionResponse: { name: "get_weather" } }] } },
      { content: { parts: [{ text: ANSWER }] } },
    ]);

    await page.goto(`${platform.url}/dev-ui/?app=artist`);
    await ui.send("Draw a red circle");
    await page.locator("app-event-row img").waitFor();
    expect((await platform.objectNames()).filter((name) => name.includes("red-circle.png"))).toHaveLength(1);
    expect(await platform.end()).toBe(0);
  });
});
