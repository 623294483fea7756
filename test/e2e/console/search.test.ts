import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";
import { BusyConsole, run } from "./busy-console.ts";

const BROKEN = `
import { LlmAgent } from "fairlead/kit";

export const rootAgent = new LlmAgent({
  name: "broken",
  instruction: "Help.",
  model: {
    model: "broken",
    async *generateContentAsync() {
      yield { errorCode: "MODEL_ON_FIRE", errorMessage: "The model is on fire." };
    },
  },
});
`;

describe.skipIf(cannotRun("the search of runs"))("the search of runs in the console", { timeout: 90_000 }, () => {
  it("finds them by time, tokens and money, and shows what a run and each of its model calls have cost", async () => {
    await using busy = await BusyConsole.start();
    const { page, pageErrors } = await busy.world.openPage("/console?user=ada");
    const messages = () => page.locator("#rows .said-first").allInnerTexts();
    await expect.poll(async () => (await messages()).length).toBe(2);
    await page.getByText("Time, tokens and money", { exact: true }).first().press("Enter");
    await page.getByLabel("At least this many USD").fill("0.00001");
    await page.keyboard.press("Enter");
    await expect.poll(messages).toEqual(["What is the weather in Paris?"]);
    expect(new URL(page.url()).search).toBe("?user=ada&usd=0.00001");
    await page.getByLabel("At least this many USD").fill("-1");
    await page.keyboard.press("Enter");
    // The browser says what is wrong with the field, and the list stays.
    expect(await page.evaluate("document.querySelector('#filter').checkValidity()")).toBe(false);
    expect(new URL(page.url()).search).toBe("?user=ada&usd=0.00001");
    await page.getByLabel("At least this many USD").fill("");
    await page.getByLabel("Recorded before").fill("2001-01-01T00:00");
    await expect.poll(messages).toEqual([]);
    await page.getByLabel("Recorded before").fill("");
    await page.getByLabel("Recorded from").fill("2001-01-01T00:00");
    await page.getByLabel("At least this many tokens").fill("20");
    await page.keyboard.press("Enter");
    await expect.poll(messages).toEqual(["What is the weather in Paris?"]);
    await page.reload();
    await expect.poll(messages).toEqual(["What is the weather in Paris?"]);
    expect(await page.getByLabel("At least this many tokens").inputValue()).toBe("20");

    await page.locator("#rows").getByRole("link").click();
    const facts = page.locator("#facts");
    await expect.poll(() => facts.innerText()).toMatch(/Model calls\s+2 \(2 demo\/weather\)\s+USD\s+0\.00004/);
    const calls = page.locator('#spans li[data-kind="model"] .small');
    await expect
      .poll(() => calls.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^\d+ ms · 6 tokens in, 1 out · 0\.0000043 USD$/),
        expect.stringMatching(/^\d+ ms · 1 tokens in, 14 out · 0\.0000353 USD$/),
      ]);
    expect(pageErrors).toEqual([]);
  });

  it("finds a run by its error, which the list shows, and requeues it", async () => {
    const folder = agentsFolder({ "broken/agent.ts": BROKEN });
    await using world = await UiWorld.start(folder.path);
    await run(world, "broken", "one", "Go");
    const { page, pageErrors } = await world.openPage("/console?find=nothing+like+this");
    await page.getByText("No runs here.").waitFor();
    await page.getByLabel("Find").fill("on FIRE");
    const rows = page.locator("#rows tr");
    const states = () => rows.locator("td:first-child").allInnerTexts();
    await expect.poll(states).toEqual(["succeeded\nMODEL_ON_FIRE"]);
    await rows.getByRole("link").click();
    await expect.poll(() => page.locator("#facts").innerText()).toContain("The model is on fire");
    await page.getByRole("button", { name: "Requeue" }).click();
    // A search is repeated less often than a list.
    await expect.poll(states).toEqual(["succeeded\nMODEL_ON_FIRE", "succeeded\nMODEL_ON_FIRE"]);
    expect(pageErrors).toEqual([]);
  });
});
