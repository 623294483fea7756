import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import type { BaseTool, ToolLlmRequest } from "./base-tool.ts";
import { BaseToolset, type ToolFilter } from "./base-toolset.ts";
import { ReadonlyContext } from "./context/readonly-context.ts";
import type { ToolContext } from "./context/tool-context.ts";

const named = (name: string): BaseTool =>
  new FunctionTool({ name, description: `Does ${name}.`, timeoutMs: 5, execute: () => `did ${name}` });

class Calendar extends BaseToolset {
  readonly #tools = [named("add"), named("remove")];
  closed = 0;

  protected override loadTools(): readonly BaseTool[] {
    return this.#tools;
  }

  processLlmRequest(_context: ToolContext, request: ToolLlmRequest): void {
    request.appendInstructions("There is a calendar.");
  }

  override async close(): Promise<void> {
    this.closed += 1;
  }
}

const context = new ReadonlyContext(createInvocation());
const namesOf = async (toolset: BaseToolset): Promise<readonly string[]> =>
  (await toolset.getTools(context)).map(({ name }) => name);

describe("BaseToolset", () => {
  it.each<[string, ToolFilter | undefined, readonly string[]]>([
    ["no filter", undefined, ["add", "remove"]],
    ["a list of names", ["remove", "other"], ["remove"]],
    ["an empty list", [], []],
    ["a function", (tool, { userId }) => tool.name === "add" && userId === "u", ["add"]],
  ])("has the tools that %s selects", async (_, toolFilter, names) => {
    verifies("operations:toolset:is-tool-selected");
    const toolset = new Calendar(toolFilter === undefined ? {} : { toolFilter });
    expect(await namesOf(toolset)).toEqual(names);
    const all = await new Calendar().getTools(context);
    expect(all.filter((tool) => toolset.isToolSelected(tool, toolFilter, context)).map(({ name }) => name)).toEqual(
      names,
    );
  });

  it("puts a prefix before names, and makes each renamed tool once", async () => {
    const toolset = new Calendar({ toolNamePrefix: "work", toolFilter: ["add"] });
    const [first] = await toolset.getTools(context);
    const [second] = await toolset.getTools(context);
    expect(first).toBe(second);
    expect(first?.getDeclaration()).toEqual({ name: "work_add", description: "Does add." });
    expect(first?.timeoutMs).toBe(5);
  });

  it("serves a run, changes its requests, and is open until the runner is closed", async () => {
    const toolset = new Calendar({ toolNamePrefix: "work" });
    const model = new ScriptedModel([functionCallResponse("work_add", {}), "Done.", "Again."]);
    const world = await createAgentWorld(new LlmAgent({ name: "clerk", model, tools: [toolset] }));
    const events = [...(await world.run("Add.")), ...(await world.run("More."))];
    expect(events.map(brief)).toEqual([
      "clerk: work_add({})",
      'clerk: work_add -> {"result":"did add"}',
      "clerk: Done.",
      "clerk: Again.",
    ]);
    expect(model.requests[0]?.systemInstruction).toContain("There is a calendar.");
    expect(toolset.closed).toBe(0);
    await world.runner.close();
    expect(toolset.closed).toBe(1);
  });
});
