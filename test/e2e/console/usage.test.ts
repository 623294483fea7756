import { describe, expect, it } from "vitest";
import { cannotRun } from "../browser.ts";
import { BusyConsole, run } from "./busy-console.ts";

describe.skipIf(cannotRun("usage in the console"))("the console's page of usage", { timeout: 90_000 }, () => {
  it("adds up runs, model calls, tokens and money by day, app and user, and shows quotas", async () => {
    await using busy = await BusyConsole.start();
    const { page, pageErrors } = await busy.world.openPage("/console/usage?user=ada");
    const rows = async (place: string) => {
      const texts = await page.locator(`${place} tbody tr`).allInnerTexts();
      return texts.map((text) => text.split(/\s+/).join(" "));
    };
    const weather = "1 0 2 7 15 0.00004";
    await expect.poll(() => rows("#by-app")).toEqual([`weather ${weather}`, "expenses 1 0 1 6 1 –"]);
    expect(await rows("#by-user")).toEqual(["ada 2 0 3 13 16 0.00004"]);
    expect(await rows("#by-day")).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d 2 0 3 13 16 0.00004$/)]);
    expect(await page.locator("#searched").innerText()).toMatch(
      /^Added up from the newest 2 runs, back to .*\. Not in the money, as their models have no price: 1\.$/,
    );
    await expect
      .poll(() => rows("#by-quota"))
      .toContainEqual(expect.stringMatching(/^user ada tokensPerDay 29 tokens/));

    await page.getByRole("link", { name: "weather" }).click();
    await expect.poll(() => rows("#by-app")).toEqual([`weather ${weather}`]);
    expect(new URL(page.url()).search).toBe("?user=ada&app=weather");
    await run(busy.world, "weather", "rome", "What is the weather in Rome?");
    await page.getByRole("button", { name: "Read again" }).click();
    await expect.poll(async () => (await rows("#by-app"))[0]).toMatch(/^weather 2 0 4 /);
    await page.getByLabel("App", { exact: true }).fill("none");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#by-day").innerText()).toBe("No runs here.");
    expect(await page.locator("#searched").innerText()).toBe("No runs.");
    expect(pageErrors).toEqual([]);
  });
});
