import { describe, expect, it } from "vitest";
import { LIVE_CLOSE_REASON } from "#services/gateway/origins/live-refusal.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

const JSON_HEADERS = { "content-type": "application/json" };

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

  it("a live run does not begin", async () => {
    await using world = await UiWorld.start();
    const { page } = await world.openPage("/dev-ui/?app=weather");
    const ui = new DevUiPage(page);
    await ui.startCall();
    await expect.poll(() => ui.snackBar()).toContain(LIVE_CLOSE_REASON);
  });

  it("an evaluation does not run", async () => {
    await using world = await UiWorld.start();
    const post = async (path: string, body: object): Promise<void> => {
      const options = { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) };
      expect((await fetch(world.url + path, options)).status).toBe(200);
    };
    await post("/apps/weather/users/user/sessions/s", {});
    await post("/run", {
      appName: "weather",
      userId: "user",
      sessionId: "s",
      newMessage: { role: "user", parts: [{ text: "What is the weather in Paris?" }] },
    });
    await post("/dev/apps/weather/eval_sets/smoke", {});
    await post("/dev/apps/weather/eval_sets/smoke/add_session", { evalId: "case1", sessionId: "s", userId: "user" });

    const { page } = await world.openPage("/dev-ui/?app=weather");
    const ui = new DevUiPage(page);
    await ui.runEvaluation("smoke");
    await expect.poll(() => ui.snackBar()).toContain("Evaluation runs are not installed");
  });
});
