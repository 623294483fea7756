import { describe, expect, it } from "vitest";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

/** Always answers the same; and a judge that agrees. */
const JUDGED_AGENT = `
import { LlmAgent, modelContent } from "fairlead/kit";
import { defaultModelRegistry } from "fairlead/models";

const saying = (model, text) => ({
  model,
  async *generateContentAsync() {
    yield { content: modelContent(text) };
  },
});

defaultModelRegistry.register("test/judge", saying("test/judge", '{"is_the_agent_response_valid": "valid"}'));
export const rootAgent = new LlmAgent({ name: "echo", instruction: "Help.", model: saying("echo", "It is sunny.") });
`;

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

  it("records a case from the open session, evaluates it with a judge, and shows the scores", async () => {
    const folder = agentsFolder({ "echo/agent.ts": JUDGED_AGENT });
    await using world = await UiWorld.start(folder.path, { EVAL_JUDGE_MODELS: "test/judge" });
    const post = async (path: string, body: object): Promise<void> => {
      const options = { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) };
      expect((await fetch(world.url + path, options)).status).toBe(200);
    };
    const session = { appName: "echo", userId: "user", sessionId: "s" };
    await post("/apps/echo/users/user/sessions/s", {});
    await post("/run", { ...session, newMessage: { role: "user", parts: [{ text: "What is the weather?" }] } });
    await post("/dev/apps/echo/eval_sets/smoke", {});

    const { page, pageErrors } = await world.openPage("/dev-ui/?app=echo&session=s&userId=user");
    await page.getByText("Evals", { exact: true }).first().click();
    await page.getByText("smoke", { exact: true }).first().click();
    await page.getByRole("button", { name: "From Current Session" }).click();
    const dialog = page.locator("mat-dialog-container");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Run All" }).click();
    // The fourth metric of the list.
    await dialog.getByText("Final Response Match V2").waitFor();
    await dialog.getByRole("checkbox").nth(3).check();
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.getByText("1 PASS").waitFor();
    const shown = async () => (await page.locator("body").innerText()).replaceAll(/\s+/g, " ");
    await expect.poll(shown).toMatch(/Tool Trajectory ?: ?1\.00.*Final Response Match V2 ?: ?/);
    // The three metrics that the dialog had selected, and none of those that only inform.
    expect(await shown()).toContain(" 3/3 ");
    const [name] = (await (await fetch(`${world.url}/dev/apps/echo/eval_results`)).json()) as readonly string[];
    // The route's answer.
    const result = (await (await fetch(`${world.url}/dev/apps/echo/eval_results/${name}`)).json()) as EvalSetResult;
    const scores = result.evalCaseResults.flatMap(({ overallEvalMetricResults }) =>
      overallEvalMetricResults.map(({ metricName, score }) => [metricName, score]),
    );
    expect(scores).toContainEqual(["final_response_match_v2", 1]);
    expect(pageErrors).toEqual([]);
  });
});
