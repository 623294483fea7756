import { describe, expect, it } from "vitest";
import { McpAsyncToolset, type McpConnectionParams, McpToolset, type McpToolsetOptions } from "#kit/adk/index.ts";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { REFERENCE_STDIO, startReferenceServer } from "#test/helpers/mcp/reference-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { answer } from "#test/helpers/worlds/pay-world.ts";

async function createWorld(
  connectionParams: McpConnectionParams,
  steps: readonly ScriptedStep[],
  options: Partial<McpToolsetOptions> = {},
) {
  const toolset = new McpToolset({ connectionParams, fetch: (input, init) => fetch(input, init), ...options });
  const model = new ScriptedModel(steps);
  const world = await createAgentWorld(new LlmAgent({ name: "a", model, tools: [toolset] }));
  return { world, model, toolset, [Symbol.asyncDispose]: () => world.runner.close() };
}

const ECHO = functionCallResponse("echo", { message: "hi" });
const ECHOED = 'a: echo -> {"content":[{"type":"text","text":"Echo: hi"}]}';

describe("the protocol's reference server", () => {
  it("is used as a process", async () => {
    verifies("tools:mcp-stdio:command", "tools:mcp-stdio:args", "tools:mcp-stdio:env", "tools:mcp:protocols");
    const env = { GREETING: "good day" };
    const steps = [ECHO, functionCallResponse("get-env", {}), "Done."];
    await using used = await createWorld({ ...REFERENCE_STDIO, kind: "stdio", env } as never, steps);
    const events = await used.world.run("echo");
    expect(events.slice(1, 2).map(brief)).toEqual([ECHOED]);
    const variables = JSON.stringify(events[3]?.content);
    expect(variables).toContain("good day");
    // Nothing else of this process's environment.
    expect(variables).not.toContain("VITEST");
  });

  it.each(["sse", "streamable-http"] as const)("is used over %s", async (kind) => {
    verifies("tools:mcp-sse:headers", "tools:mcp-streamable-http:headers", "tools:mcp:protocols");
    await using server = await startReferenceServer(kind);
    const sent: string[] = [];
    await using used = await createWorld(server.params, [ECHO, "Done."], {
      fetch: (input, init) => {
        sent.push(`${init?.method ?? "GET"} ${new Headers(init?.headers).get("x-app")}`);
        return fetch(input, init);
      },
    });
    expect((await used.world.run("echo")).slice(1, 2).map(brief)).toEqual([ECHOED]);
    expect([...new Set(sent)].toSorted()).toEqual(["GET shop", "POST shop"]);
  });

  it("streams its progress as partial events", async () => {
    const call = functionCallResponse("trigger-long-running-operation", { duration: 0.2, steps: 2 });
    await using used = await createWorld(REFERENCE_STDIO, [call, "Done."]);
    const events = await used.world.run("work", { streamingMode: "SSE" });
    const partial = events.filter(({ partial, content }) => partial === true && content?.role === "user");
    expect(partial.map(({ content }) => content?.parts?.[0]?.functionResponse)).toContainEqual(
      expect.objectContaining({ willContinue: true, response: { progress: 1, total: 2 } }),
    );
  });

  it("asks in the middle of a call: the run waits, and the answer repeats the call", async () => {
    verifies("tools:mcp:elicitation-earlier");
    const call = functionCallResponse("trigger-elicitation-request", {});
    await using used = await createWorld(REFERENCE_STDIO, [call, "Done."]);
    const question = asked(await used.world.run("ask"));
    expect(question.args?.["message"]).toContain("Please provide inputs");
    const content = { name: "Ada", check: true, email: "ada@example.com" };
    const [response] = await used.world.run(answer(question, content, "adk_request_input"));
    const text = JSON.stringify(response?.content);
    expect(text).toContain("User provided the requested information");
    expect(text).toContain("Ada");
    // A default of the server's schema.
    expect(text).toContain("dark and stormy");
  });

  it("shows its resources and prompts", async () => {
    const load = functionCallResponse("load_mcp_resource", { resource_names: ["features.md", "demo://none"] });
    await using used = await createWorld(REFERENCE_STDIO, [load, "Done."], { useMcpResources: true });
    const context = new ReadonlyContext(createInvocation());
    const names = (await used.toolset.listResources(context)).map(({ name }) => name);
    expect(names).toContain("features.md");
    const events = await used.world.run("features?");
    expect(used.model.requests[0]?.systemInstruction).toContain("features.md");
    expect(events[1]?.content?.parts?.[0]?.functionResponse?.response).toMatchObject({
      resources: [
        { name: "features.md", contents: [{ text: expect.any(String) }] },
        { name: "demo://none", error: expect.any(String) },
      ],
    });
    expect((await used.toolset.listPrompts(context)).map(({ name }) => name)).toContain("args-prompt");
    expect(await used.toolset.getPrompt("args-prompt", { city: "Paris" }, context)).toEqual([
      { role: "user", parts: [{ text: expect.stringContaining("Paris") }] },
    ]);
  });

  it("is used under the toolset's other name", async () => {
    verifies("tools:mcp:async");
    const toolset = new McpAsyncToolset({ connectionParams: REFERENCE_STDIO });
    const tools = await toolset.getTools(new ReadonlyContext(createInvocation()));
    expect(tools.map(({ name }) => name)).toContain("echo");
    await toolset.close();
  });
});

function asked(events: readonly Event[]) {
  const question = events.flatMap(functionCalls).findLast(({ name }) => name === "adk_request_input");
  if (question === undefined) throw new Error("no question was asked");
  return question;
}
