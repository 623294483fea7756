import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";

const HOSTILE = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">";

/** Answers "yes", or nothing until the run is cancelled. */
const PATIENT = `
import { LlmAgent, modelContent } from "fairlead/kit";

export const rootAgent = new LlmAgent({
  name: "patient",
  instruction: "Help.",
  model: {
    model: "patient",
    async *generateContentAsync({ contents }, { signal }) {
      if (contents.at(-1).parts[0].text === "wait")
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      yield { content: modelContent("yes") };
    },
  },
});
`;

describe.skipIf(cannotRun("evaluations in the console"))("the console's page of evaluations", () => {
  it("shows results over time, and a case's turns with scores and remarks, all as text", async () => {
    const folder = agentsFolder({ "echo/root_agent.yaml": "name: echo\nmodel: demo/chat\ninstruction: Help.\n" });
    await using world = await UiWorld.start(folder.path);
    const post = async (path: string, body: object): Promise<void> => {
      const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const response = await fetch(world.url + path, options);
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    };
    const userContent = { role: "user", parts: [{ text: "Hello" }] };
    const finalResponse = { role: "model", parts: [{ text: HOSTILE }] };
    const evalCases = [{ evalId: "hi", conversation: [{ userContent, finalResponse }] }];
    await post("/apps/echo/eval-sets", { evalSet: { evalSetId: "greet", evalCases } });
    const { page, pageErrors } = await world.openPage("/console");
    await page.getByRole("link", { name: "Evaluations" }).click();
    await page.getByText("The set has no results yet.").waitFor();

    await post("/apps/echo/eval-sets/greet/run-eval", { evalMetrics: ["tool_trajectory_avg_score"] });
    await post("/apps/echo/eval-sets/greet/run-eval", { evalMetrics: ["response_match_score", "safety_v1"] });
    await page.reload();
    const plot = page.getByRole("img", { name: "Scores over time" });
    await expect.poll(() => plot.locator("circle").count()).toBe(4);
    expect(await page.locator("#legend li").allInnerTexts()).toEqual([
      "● share of passed cases",
      "● tool_trajectory_avg_score",
      "● response_match_score",
    ]);
    const turn = page.getByRole("region", { name: "Turn 1" });
    expect(await turn.locator(".turn > div").allInnerTexts()).toEqual([
      expect.stringContaining(HOSTILE),
      expect.stringMatching(/^Actual\s+Hello\s+\S/),
    ]);
    const overall = page.getByRole("article", { name: "Case hi" }).locator(":scope > table tbody tr");
    expect(await overall.nth(0).locator("td").allInnerTexts()).toEqual([
      "response_match_score",
      expect.stringMatching(/^[0-9.]+$/),
      "0.8",
      "failed",
      "",
    ]);
    expect(await overall.nth(1).locator("td").nth(3).innerText()).toBe("not evaluated");
    expect(await overall.nth(1).locator("td").nth(4).innerText()).not.toBe("");
    expect([await page.title(), await page.locator("main script, main img").count()]).toEqual([
      "Evaluations · Fairlead",
      0,
    ]);

    await plot.locator(".line-1 circle").click();
    await expect.poll(() => overall.nth(0).locator("td").first().innerText()).toBe("tool_trajectory_avg_score");
    await page.reload();
    await expect.poll(() => overall.nth(0).locator("td").first().innerText()).toBe("tool_trajectory_avg_score");
    await page.goBack();
    await expect.poll(() => overall.nth(0).locator("td").first().innerText()).toBe("response_match_score");
    expect(pageErrors).toEqual([]);
  });

  it("shows evaluations that run with their progress, cancels one, and leads to the result of another", async () => {
    const folder = agentsFolder({ "patient/agent.ts": PATIENT });
    await using world = await UiWorld.start(folder.path);
    const post = async (path: string, body: object): Promise<void> => {
      const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      expect((await fetch(world.url + path, options)).ok).toBe(true);
    };
    const asking = (evalId: string, text: string) => ({
      evalId,
      conversation: [{ userContent: { role: "user", parts: [{ text }] } }],
    });
    const evalCases = [asking("one", "go"), asking("two", "wait")];
    await post("/apps/patient/eval-sets", { evalSet: { evalSetId: "both", evalCases } });
    const request = { appName: "patient", evalSetId: "both", evalMetrics: ["tool_call_count_v1"] };
    await post("/v1/evals", request);
    const { page, pageErrors } = await world.openPage("/console/evaluations?app=patient&set=both");
    const rows = page.locator("#jobs tr");
    await rows.getByText("1 of 2").waitFor();
    expect(await rows.locator(".status").innerText()).toBe("running");
    expect(await rows.getByRole("progressbar").getAttribute("value")).toBe("1");

    await rows.getByRole("button", { name: "Cancel" }).click();
    await rows.locator(".status").getByText("cancelled").waitFor();
    expect(await rows.getByRole("button").count()).toBe(0);

    await post("/v1/evals", { ...request, evalIds: ["one"] });
    await page.reload();
    await rows.first().getByText("succeeded").waitFor();
    await rows.first().getByRole("link", { name: "Show result" }).click();
    await page.getByRole("article", { name: "Case one" }).waitFor();
    expect(new URL(page.url()).searchParams.get("result")).toMatch(/^patient_both_/);
    expect(pageErrors).toEqual([]);
  });

  it("asks to sign in, leads back, and shows no more than the caller's key allows", async () => {
    await using issuer = await TestIssuer.start();
    const oidc = { OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: issuer.audience, OIDC_CLIENT_ID: "pages" };
    await using world = await UiWorld.start(undefined, { AUTH: "api-key,oidc", ...oidc });
    const signIn = async (page: Page, scopes: readonly string[]): Promise<void> => {
      const token = await issuer.token({ claims: { sub: "admin", scope: "ops users:all sessions:read evals" } });
      const response = await fetch(`${world.url}/v1/keys`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "console", scopes, userId: "ada" }),
      });
      // The route's answer.
      const { key } = (await response.json()) as { readonly key: string };
      await page.getByLabel("API key").fill(key);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator("[data-signed-in]").getByText("ada").waitFor();
    };
    const { page } = await world.openPage("/console/evaluations?app=weather");
    await signIn(page, ["sessions:read", "evals"]);
    expect(page.url()).toBe(`${world.url}/console/evaluations?app=weather`);
    await page.getByText("The app has no evaluation sets.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    await page.goto(`${world.url}/console/evaluations?app=weather`);
    await signIn(page, ["sessions:read"]);
    await expect.poll(() => page.locator("#connection").innerText()).toContain("scope evals");
    expect(await page.locator("#empty").isVisible()).toBe(false);
  });
});
