import { describe, expect, it } from "vitest";
import { accessibilityFaults } from "../accessibility.ts";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";

const PAGES = ["", "/inbox", "/schedules", "/webhooks", "/usage", "/evaluations"];

describe.skipIf(cannotRun("refusals in the console"))("each page of the console", { timeout: 90_000 }, () => {
  it("says in words what the server refuses, and that it cannot be reached", async () => {
    await using world = await UiWorld.start(undefined, { WEBHOOKS: "memory", SCHEDULES: "memory" });
    const { page } = await world.openPage("/docs");
    let refuse: (() => { readonly status: number; readonly json: object }) | undefined;
    const isApi = ({ pathname }: URL) => /^\/(?:v1\/|apps\/|list-apps)/.test(pathname);
    await page.route(isApi, async (route) => (refuse === undefined ? route.abort() : route.fulfill(refuse())));
    const said: string[] = [];
    for (const path of PAGES) {
      for (const [status, message] of [
        [403, "It needs the scope sessions:read."],
        [503, "The store is unavailable."],
        [undefined, ""],
      ] as const) {
        refuse = status === undefined ? undefined : () => ({ status, json: { message } });
        await page.goto(`${world.url}/console${path}`);
        const note = page.locator("#connection.problem");
        await expect.poll(() => note.count()).toBe(1);
        said.push(await note.innerText());
        expect(await accessibilityFaults(page)).toEqual([]);
      }
    }
    expect(said).toEqual(
      PAGES.flatMap(() => [
        "You may not do this here. It needs the scope sessions:read.",
        "The store is unavailable.",
        "The server cannot be reached.",
      ]),
    );
  });

  it("shows an address with filters that mean nothing, and says what is wrong with them", async () => {
    await using world = await UiWorld.start();
    const { page } = await world.openPage("/console?from=yesterday&tokens=-5&status=odd&usd=much#no-such-run");
    await expect.poll(() => page.locator("#connection").innerText()).toContain("minTokens");
    await expect.poll(() => page.locator("#outcome").innerText()).toContain("no-such-run");
    await page.getByLabel("At least this many tokens").fill("");
    await page.keyboard.press("Enter");
    await page.getByText("No runs yet.").waitFor();
  });
});
