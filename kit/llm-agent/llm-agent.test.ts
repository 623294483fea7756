import { describe, expect, it } from "vitest";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { LlmAgent } from "./llm-agent.ts";

/** Creates an agent as plain JavaScript can. */
function create(options: object): LlmAgent {
  return Reflect.construct(LlmAgent, [options]);
}

function refusal(make: () => unknown): string {
  try {
    make();
    return "";
  } catch (error) {
    return error instanceof PlatformError ? `${error.reason}: ${error.message}` : String(error);
  }
}

const rollDice = (): number => 4;
const agent = new LlmAgent({ name: "poet" });
const tool = new FunctionTool({ name: "roll", description: "Rolls.", execute: rollDice });
const MAKE_TOOL = "make it a tool, as in new FunctionTool({ name, description, parameters, execute }).";

describe("an agent that is created without types", () => {
  it.each<readonly [object, string]>([
    [
      { tools: [tool, rollDice] },
      'tools[1] is the function "rollDice": make it a tool, as in tool(rollDice, z.object({ … })).',
    ],
    [{ tools: [() => 4] }, "tools[0] is a function: make it a tool, as in tool(call, z.object({ … }))."],
    [{ tools: [{ name: "roll", execute: rollDice }] }, `tools[0] is an object of another kind: ${MAKE_TOOL}`],
    [{ tools: ["roll"] }, `tools[0] is a text: ${MAKE_TOOL}`],
    [{ tools: [undefined] }, `tools[0] is undefined: ${MAKE_TOOL}`],
    [
      { tools: [agent] },
      'tools[0] is the agent "poet": make it an AgentTool, as in new AgentTool({ agent }), or list it in subAgents.',
    ],
    [{ tools: rollDice }, 'tools is the function "rollDice": give a list, as in tools: [rollDice].'],
    [{ instruction: 5 }, "instruction is the number 5: give a text, or a function that returns one."],
    [{ instruction: null }, "instruction is null: give a text, or a function that returns one."],
    [{ globalInstruction: ["a"] }, "globalInstruction is a list: give a text, or a function that returns one."],
    [{ model: 5 }, "model is the number 5: give the name of a model, or a model."],
    [{ model: class Model {} }, 'model is the function "Model": give the name of a model, or a model.'],
    [{ instructions: "Help." }, 'there is not an option "instructions": did you mean "instruction"?'],
    [{ sub_agents: [] }, 'there is not an option "sub_agents": did you mean "subAgents"?'],
    [{ subAgents: [rollDice] }, "subAgents[0] is not an agent: give agents, as in subAgents: [new LlmAgent({ … })]."],
  ])("is refused with %j", (options, problem) => {
    verifies("typescript:refused-options");
    expect(refusal(() => create({ name: "desk", ...options }))).toBe(`INVALID_FIELD: Agent "desk": ${problem}`);
  });

  it("is refused with an option that resembles none, and gets the names of all", () => {
    expect(refusal(() => create({ name: "desk", frobnicate: 1 }))).toMatch(
      /there is not an option "frobnicate"\. Options: name, model, .*, onToolErrorCallback\.$/,
    );
  });

  it("is refused without a name", () => {
    expect(refusal(() => create({}))).toBe("INVALID_FIELD: An agent has no name: set `name` to a text.");
  });

  it("is created with tools, agents and texts of the right kinds", () => {
    const sub = new SequentialAgent({ name: "steps" });
    const tools = [tool, new AgentTool({ agent }), { getTools: async () => [], close: async () => {} }];
    const created = create({ name: "desk", tools, subAgents: [sub], instruction: () => "Help.", model: "demo/chat" });
    expect([created.tools, created.subAgents]).toEqual([tools, [sub]]);
  });

  it("may have options of its own if it is of a subclass", () => {
    class Desk extends LlmAgent {
      readonly city: string;
      constructor(options: { readonly name: string; readonly city: string }) {
        super(options);
        this.city = options.city;
      }
    }
    expect(new Desk({ name: "desk", city: "Rome" }).city).toBe("Rome");
  });
});
