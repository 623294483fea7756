import { describe, expect, it } from "vitest";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";
import { BusyConsole } from "./busy-console.ts";

describe.skipIf(cannotRun("webhooks in the console"))("the console's page of webhooks", { timeout: 90_000 }, () => {
  it("shows what became of messages, sends one again, and turns a webhook off and on", async () => {
    await using busy = await BusyConsole.start();
    const { page, pageErrors } = await busy.world.openPage("/console/webhooks");
    const cards = page.locator("#entries > li");
    await expect.poll(() => cards.locator("h3").allInnerTexts()).toContain("Ticket system");
    expect(await cards.count()).toBe(2);
    const tickets = cards.filter({ hasText: "Ticket system" });
    expect(await tickets.innerText()).toContain("apps weather · all users");

    await tickets.getByText("Messages", { exact: true }).press("Enter");
    const messages = tickets.locator(".deliveries > li");
    const started = messages.filter({ hasText: "run.started" });
    await started.locator(".problem").waitFor();
    expect(await started.innerText()).toContain("503");
    // The receiver's answer is shown as text.
    expect(await started.locator("pre").innerText()).toBe("Out <b>of</b> order");
    expect(await started.getByRole("link", { name: "Show the run" }).getAttribute("href")).toBe(
      `${busy.world.url}/console#${busy.runId}`,
    );
    await tickets.getByLabel("State").selectOption("given up");
    await tickets.getByText("No messages.").waitFor();

    page.on("dialog", (dialog) => void dialog.accept());
    await tickets.getByRole("button", { name: "Turn off" }).click();
    await tickets.getByRole("button", { name: "Turn on" }).waitFor();
    expect(await page.locator("#connection").innerText()).toBe("Turned off.");
    // What waited is given up, and can be sent again.
    await messages.first().waitFor();
    await tickets.getByRole("button", { name: "Turn on" }).click();
    await tickets.getByRole("button", { name: "Turn off" }).waitFor();
    const count = await messages.count();
    await started.getByRole("button", { name: "Send again" }).click();
    await expect.poll(() => page.locator("#connection").innerText()).toBe("The message is sent again.");
    await expect.poll(() => messages.count()).toBe(count - 1);
    expect(pageErrors).toEqual([]);
  });

  it("says in words that the server has none", async () => {
    await using world = await UiWorld.start(undefined, { WEBHOOKS: "" });
    const { page } = await world.openPage("/console/webhooks");
    await page.getByText("This server has no webhooks: set WEBHOOKS").waitFor();
  });
});
