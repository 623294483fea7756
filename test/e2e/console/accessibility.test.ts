import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityFaults } from "../accessibility.ts";
import { cannotRun } from "../browser.ts";
import { BusyConsole, picture } from "./busy-console.ts";

interface Place {
  readonly name: string;
  readonly path: (runId: string) => string;
  /** Resolves when the page shows what it has. */
  readonly ready: (page: Page) => Promise<void>;
}

const PLACES: readonly Place[] = [
  {
    name: "runs",
    path: () => "/console?tokens=1",
    ready: (page) => page.locator("#rows tr").first().waitFor(),
  },
  {
    name: "run",
    path: (runId) => `/console#${runId}`,
    ready: (page) => page.locator("#spans li").first().waitFor(),
  },
  { name: "no-runs", path: () => "/console?app=none", ready: (page) => page.getByText("No runs here.").waitFor() },
  { name: "inbox", path: () => "/console/inbox", ready: (page) => page.locator("#entries .questions").waitFor() },
  { name: "schedules", path: () => "/console/schedules", ready: (page) => page.locator("#entries li").waitFor() },
  {
    name: "webhooks",
    path: () => "/console/webhooks",
    ready: async (page) => {
      await page.locator("#entries > li", { hasText: "Ticket system" }).getByText("Messages").click();
      await page.locator(".deliveries .problem").first().waitFor();
    },
  },
  { name: "usage", path: () => "/console/usage", ready: (page) => page.locator("#by-user tbody tr").first().waitFor() },
  {
    name: "evaluations",
    path: () => "/console/evaluations?app=weather",
    ready: (page) => page.locator("#cases article").waitFor(),
  },
];

describe.skipIf(cannotRun("the accessibility of the console"))("each page of the console", { timeout: 180_000 }, () => {
  it("has no fault that axe finds, and no sideways scrolling, dark and light, on a desk and on a phone", async () => {
    await using busy = await BusyConsole.start();
    const faults: string[] = [];
    for (const { name, path, ready } of PLACES) {
      const { page, pageErrors } = await busy.world.openPage(path(busy.runId));
      await ready(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          const found = await accessibilityFaults(page);
          const scrolled = await page.evaluate<number>("document.documentElement.scrollWidth");
          if (scrolled > width) faults.push(`${name} ${width}: scrolls sideways to ${scrolled}`);
          faults.push(...found.map((fault) => `${name} ${colorScheme} ${width}: ${fault}`));
          await picture(page, `${name}-${colorScheme}-${width}`);
        }
      }
      faults.push(...pageErrors.map((fault) => `${name}: ${fault}`));
      await page.close();
    }
    expect(faults).toEqual([]);
  });
});
