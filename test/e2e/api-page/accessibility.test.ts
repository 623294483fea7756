import { describe, expect, it } from "vitest";
import { accessibilityFaults } from "../accessibility.ts";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";

// The page renders its whole description first, and takes seconds of one processor for each operation that is opened.
describe.skipIf(cannotRun("the accessibility of the API page"))("the API page", { timeout: 300_000 }, () => {
  it("has no fault that axe finds, dark and light, on a desk and on a phone, with an operation tried", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/docs");
    const operation = page.locator('[id="operations-apps-listApps"]');
    await operation.waitFor({ timeout: 60_000 });
    const faults: string[] = [];
    const check = async (name: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          const found = await accessibilityFaults(page);
          faults.push(...found.map((fault) => `${name} ${colorScheme} ${width}: ${fault}`));
        }
      }
    };
    await check("closed");
    await operation.locator(".opblock-summary-control").click();
    await operation.getByRole("button", { name: "Execute" }).click();
    await operation.locator(".live-responses-table tbody .response").waitFor({ timeout: 60_000 });
    const withBody = page.locator('[id="operations-runs-startRun"]');
    await withBody.locator(".opblock-summary-control").click();
    await withBody.getByRole("button", { name: "Execute" }).waitFor({ timeout: 60_000 });
    await check("tried");
    expect([...new Set(faults)]).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
