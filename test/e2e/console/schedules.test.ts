import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { BOOKING_AGENT } from "#test/helpers/worlds/booking-agent.ts";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";

describe.skipIf(cannotRun("the schedules"))("the schedules", () => {
  it("are shown with their ticks, and are started, paused and deleted", async () => {
    const folder = agentsFolder({ "booking/agent.ts": BOOKING_AGENT });
    await using world = await UiWorld.start(folder.path, { SCHEDULES: "memory" });
    const body = {
      appName: "booking",
      userId: "ada",
      name: "Morning",
      cron: "0 9 * * *",
      text: "Book <b>some</b> time",
    };
    const headers = { "content-type": "application/json" };
    await fetch(`${world.url}/v1/schedules`, { method: "POST", headers, body: JSON.stringify(body) });
    const { page, pageErrors } = await world.openPage("/console/schedules");
    const entries = page.locator("#entries > li");
    await expect.poll(() => entries.locator("h3").allInnerTexts()).toEqual(["Morning"]);
    expect(await entries.innerText()).toContain("Book <b>some</b> time");
    await page.getByRole("button", { name: "Start now" }).click();
    await page.getByRole("link", { name: "Show the run" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await entries.innerText()).toContain("paused");
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No schedules.").waitFor();
    expect(pageErrors).toEqual([]);
  });
});
