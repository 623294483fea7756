import { describe, expect, it } from "vitest";
import { pausedAnswer, TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
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
    const tale = pausedAnswer();
    await using world = await UiWorld.start(TELLER_AGENTS);
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=teller");
    const ui = new DevUiPage(page);
    await ui.switchStreamingOn();
    await ui.send(tale.text);
    for (const words of [3, 7, 12]) {
      tale.tell(words);
      const told = tale.chunks.slice(0, words).join("").trim();
      await expect.poll(() => ui.conversation()).toEqual([tale.text, told]);
    }
    tale.tellAll();
    await expect.poll(() => ui.conversation()).toEqual([tale.text, tale.whole.trim()]);
    expect(pageErrors).toEqual([]);
  });

  it("shows the picture that an agent drew", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=artist");
    const ui = new DevUiPage(page);
    await ui.send("Draw a red circle");
    const picture = page.locator("app-event-row img");
    await picture.waitFor();
    await expect.poll(() => picture.getAttribute("src")).toMatch(/^(?:data:image\/png;base64,|blob:)/);
    // Zero until the picture is loaded.
    const width = () => picture.evaluate<number, { naturalWidth: number }>(({ naturalWidth }) => naturalWidth);
    await expect.poll(width).toBe(256);
    await expect.poll(() => ui.chips()).toEqual(["draw", "draw", "Artifact: red-circle.png"]);
    expect(pageErrors).toEqual([]);
  });
});
