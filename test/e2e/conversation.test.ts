import { describe, expect, it } from "vitest";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

const QUESTION = "What is the weather in Paris?";
const ANSWER = "(demo model) The weather station says: It is foggy in Paris, at 22 °C.";
const CHIPS = ['get_weather("Paris")', "get_weather"];

describe.skipIf(cannotRun("conversations in the developer UI"))("a conversation in the developer UI", () => {
  it("shows the streamed answer, its tool call, its graph and its spans, and is there after a reload", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/");
    const ui = new DevUiPage(page);
    await ui.chooseApp("weather");
    await ui.switchStreamingOn();

    const stream = await ui.sendAndFollow(QUESTION);
    expect(stream.match(/"partial":true/g)).toHaveLength(ANSWER.split(" ").length);
    await expect.poll(() => ui.conversation()).toEqual([QUESTION, ANSWER]);
    await expect.poll(() => ui.chips()).toEqual(CHIPS);

    await page.reload();
    await expect.poll(() => ui.conversation()).toEqual([QUESTION, ANSWER]);
    await expect.poll(() => ui.chips()).toEqual(CHIPS);

    await ui.selectEvent(2);
    await expect.poll(() => ui.graphNodes()).toEqual(["✦ weather", "🔧 get_weather"]);
    await ui.selectEvent(3);
    await expect.poll(() => ui.graphBackground()).toBe("#1b1b1f");
    await page.getByText("Traces", { exact: true }).click();
    await expect.poll(() => ui.spans()).toEqual(["weather", "call_llm", "get_weather", "call_llm"]);

    await expect
      .poll(() => ui.loadedFonts())
      .toEqual(expect.arrayContaining(["Material Icons", "Material Symbols Outlined"]));
    expect(pageErrors).toEqual([]);
  });

  it("grows the answer while it comes", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=bench");
    const ui = new DevUiPage(page);
    await ui.switchStreamingOn();
    await ui.noteGrowth();
    await ui.sendAndFollow("n=20 d=20 s=5");
    await expect.poll(() => ui.conversation()).toEqual(["n=20 d=20 s=5", "x".repeat(100)]);
    const lengths = await ui.growth();
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(lengths.length).toBeGreaterThan(2);
    expect(pageErrors).toEqual([]);
  });

  it("shows the picture that an agent drew", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=artist");
    const ui = new DevUiPage(page);
    await ui.send("Draw a red circle");
    const picture = page.locator("app-event-row img");
    await picture.waitFor();
    expect(await picture.getAttribute("src")).toMatch(/^(?:data:image\/png;base64,|blob:)/);
    expect(await picture.evaluate<number, { naturalWidth: number }>(({ naturalWidth }) => naturalWidth)).toBe(256);
    await expect.poll(() => ui.chips()).toEqual(["draw", "draw", "Artifact: red-circle.png"]);
    expect(pageErrors).toEqual([]);
  });
});
