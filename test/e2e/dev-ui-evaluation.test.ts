import { describe, expect, it } from "vitest";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

const JSON_HEADERS = { "content-type": "application/json" };

describe.skipIf(cannotRun("evaluations in the developer UI"))("the developer UI", () => {
  it("runs an evaluation of a recorded session, whose result is stored", async () => {
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

    const { page, pageErrors } = await world.openPage("/dev-ui/?app=weather");
    const ui = new DevUiPage(page);
    await ui.runEvaluation("smoke");
    // The names of the results, in the form of that path.
    const results = async () =>
      (await (await fetch(`${world.url}/dev/apps/weather/eval_results`)).json()) as readonly string[];
    await expect.poll(results).toHaveLength(1);
    const [name] = await results();
    const result = await (await fetch(`${world.url}/dev/apps/weather/eval_results/${name}`)).json();
    expect(result).toMatchObject({ evalCaseResults: [{ evalId: "case1", finalEvalStatus: 1 }] });
    expect(pageErrors).toEqual([]);
  });
});
