import { describe, expect, it } from "vitest";
import { cannotRun } from "../browser.ts";
import { UiWorld } from "../ui-world.ts";

async function post(world: UiWorld, path: string, body: object = {}): Promise<{ readonly runId: string }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(world.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  expect([path, response.ok]).toEqual([path, true]);
  // A record of a run, or a session; only the record's id is read.
  return (await response.json()) as { readonly runId: string };
}

describe.skipIf(cannotRun("the trace of the console"))("the trace of a run in the console", { timeout: 90_000 }, () => {
  it("has its model and tool calls, with time and tokens, and none of the session's other runs", async () => {
    await using world = await UiWorld.start();
    const session = { appName: "weather", userId: "ada", sessionId: "s" };
    await post(world, "/apps/weather/users/ada/sessions/s");
    const ask = async (text: string) => {
      const { runId } = await post(world, "/v1/runs", { ...session, newMessage: { role: "user", parts: [{ text }] } });
      const status = async () => {
        const run = (await (await fetch(`${world.url}/v1/runs/${runId}`)).json()) as { readonly status: string };
        return run.status;
      };
      await expect.poll(status, { timeout: 20_000 }).toBe("succeeded");
      return runId;
    };
    const first = await ask("What is the weather in Paris?");
    await ask("Hello");
    const { page, pageErrors } = await world.openPage(`/console#${first}`);
    const spans = page.locator("#spans li");
    await spans.first().waitFor();
    const shown = (await spans.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    const ms = "\\d+ ms";
    expect(shown).toEqual([
      expect.stringMatching(new RegExp(`^invocation ${ms}$`)),
      expect.stringMatching(new RegExp(`^invoke_agent weather ${ms}$`)),
      expect.stringMatching(new RegExp(`^call_llm demo/weather ${ms} · \\d+ tokens in, \\d+ out$`)),
      expect.stringMatching(new RegExp(`^execute_tool get_weather ${ms}$`)),
      expect.stringMatching(new RegExp(`^call_llm demo/weather ${ms} · \\d+ tokens in, \\d+ out$`)),
    ]);
    const widths = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.span-bar')].map((bar) => bar.getBoundingClientRect().width)",
    );
    // The whole run is the widest bar, and each one is seen.
    expect(Math.max(...widths)).toBe(widths[0]);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(2);
    expect(await page.locator("#facts").innerText()).toMatch(/Tokens\s+\d+ \(\d+ in, \d+ out\)/);
    expect(pageErrors).toEqual([]);
  });
});
