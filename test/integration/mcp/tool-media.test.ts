import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";
import { startModernServer } from "#test/helpers/mcp/modern-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const ADD = { name: "add", inputSchema: { type: "object" } };
const call = functionCallResponse("add", {}, "call-1");

async function createWorld({ url }: { readonly url: string }, steps: readonly ScriptedStep[]) {
  const toolset = new McpToolset({
    connectionParams: { kind: "streamable-http", url },
    fetch: (input, init) => fetch(input, init),
  });
  const model = new ScriptedModel(steps);
  const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [toolset] }));
  return { world, model };
}

describe("the images of a server", () => {
  it("gives screenshots of usual sizes to the model, and keeps them out of the stored event", async () => {
    verifies("tools:mcp:media", "tools:results:media-size");
    const data = Buffer.alloc(900_000, 7).toString("base64");
    const shot = { type: "image", data, mimeType: "image/png" };
    await using server = await startModernServer({ tools: [ADD], call: () => ({ content: [shot, shot] }) });
    const { world, model } = await createWorld(server, [call, "Seen.", "Later."]);
    const events = await world.run("look");
    expect(JSON.stringify(events[1]).length).toBeLessThan(2000);
    await world.run("again");
    for (const request of model.requests.slice(1)) {
      const parts = request.contents.flatMap((content) => content.parts?.[0]?.functionResponse?.parts ?? []);
      expect(parts).toMatchObject([{ inlineData: { data } }, { inlineData: { data } }]);
    }
  });

  it("gives the model a result without the images that are too large, and says so", async () => {
    verifies("tools:results:media-size");
    const data = Buffer.alloc(7_700_000, 7).toString("base64");
    const content = [
      { type: "image", data, mimeType: "image/png" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ];
    await using server = await startModernServer({
      tools: [ADD],
      call: () => ({ content: [{ type: "text", text: "shot" }, ...content] }),
    });
    const { world } = await createWorld(server, [call, "Seen."]);
    const [response] = (await world.run("look"))[1]?.content?.parts ?? [];
    expect(response?.functionResponse).toMatchObject({
      response: {
        content: [{ text: "shot" }, {}, {}],
        mediaLeftOut: "1 of 2 images or files are too large to be shown. The call itself succeeded.",
      },
      parts: [{ inlineData: { data: "aGk=" } }],
    });
  });
});
