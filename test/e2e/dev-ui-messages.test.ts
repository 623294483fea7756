import { describe, expect, it } from "vitest";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

describe.skipIf(cannotRun("messages in the developer UI"))("the developer UI says why", () => {
  it("the request and response of an event are not shown, and which setting shows them", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=weather");
    const ui = new DevUiPage(page);
    await ui.sendAndFollow("What is the weather in Paris?");
    for (const event of [2, 4]) {
      await ui.selectEvent(event);
      for (const tab of ["Request", "Response"] as const) {
        await ui.openEventTab(tab);
        await expect.poll(() => ui.sidePanel()).toContain("TRACE_CONTENT=true");
      }
    }
    expect(pageErrors).toEqual([]);
  });
});
