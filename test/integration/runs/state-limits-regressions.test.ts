import { describe, expect, it } from "vitest";
import { modelContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { functionCallResponse } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

const model: BaseLlm = {
  model: "plain",
  async *generateContentAsync({ contents }) {
    if (contents.at(-1)?.parts?.[0]?.text === "go") yield functionCallResponse("act");
    else yield { content: modelContent("well") };
  },
};

describe("an agent that sets more state than a session may have", () => {
  it.each([
    ["too many bytes", "x".repeat(300 * 1024), "STATE_TOO_LARGE"],
    ["too deep", JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`), "JSON_TOO_COMPLEX"],
  ])("fails its run and leaves the session in use: %s", async (_name, value, reason) => {
    const act = new FunctionTool({
      name: "act",
      description: "Acts",
      execute: (_args, context) => {
        context.state.set("key", value);
        return "ok";
      },
    });
    const agent = new LlmAgent({ name: "agent", model, tools: [act] });
    await using world = await startServerWorld({ agent });
    const failed = await world.say("go");
    expect(failed.text).toContain(reason);
    const next = await world.say("still there?");
    expect([next.status, next.text]).toEqual([200, expect.stringContaining("well")]);
    const { text } = await world.send("GET", "/apps/app/users/ada/sessions/talk");
    expect((JSON.parse(text) as { readonly state: unknown }).state).toEqual({});
  });
});
