import { describe, expect, it } from "vitest";
import { cannotRun } from "./browser.ts";
import { UiWorld } from "./ui-world.ts";

describe.skipIf(cannotRun("the API page"))("the API page", () => {
  it("lists the routes, filters them, and sends a request that a person fills in", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/docs");
    const route = page.locator("details.operation", {
      has: page.getByText("/apps/{appName}/users/{userId}/sessions/{sessionId}", { exact: true }),
    });
    const create = route.filter({ has: page.getByText("POST", { exact: true }) });
    await create.waitFor();
    await page.getByLabel("Filter").fill("list-apps");
    expect(await create.isVisible()).toBe(false);
    await page.getByLabel("Filter").fill("");

    await create.locator("summary").first().click();
    const inputs = create.locator("label", { hasText: /^(?:appName|userId|sessionId)/ }).locator("input");
    for (const [index, value] of ["weather", "ada", "first"].entries()) await inputs.nth(index).fill(value);
    await create.getByRole("button", { name: "Send" }).click();
    await create.locator("p", { hasText: /^200/ }).waitFor();
    expect(JSON.parse(await create.locator("pre").first().innerText())).toMatchObject({
      appName: "weather",
      userId: "ada",
      id: "first",
      events: [],
    });
    expect(pageErrors).toEqual([]);
  });
});
