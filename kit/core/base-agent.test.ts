import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createApp } from "./app.ts";
import { AgentOrigin, BaseAgent } from "./base-agent.ts";
import type { Toolset } from "./base-tool.ts";
import type { InvocationContext } from "./context/invocation-context.ts";
import type { ReadonlyContext } from "./context/readonly-context.ts";

function tree() {
  const leaf = new LlmAgent({ name: "leaf", description: "At the end." });
  const branch = new SequentialAgent({ name: "branch", subAgents: [leaf] });
  const other = new LlmAgent({ name: "other" });
  const root = new LlmAgent({ name: "root", subAgents: [branch, other] });
  return { leaf, branch, other, root };
}

describe("a tree of agents", () => {
  it("has names, descriptions and parents", () => {
    verifies("agents:base:name", "agents:base:description", "agents:base:sub-agents");
    const { leaf, branch, other, root } = tree();
    expect([leaf.name, leaf.description, other.description]).toEqual(["leaf", "At the end.", ""]);
    expect([root.subAgents, branch.subAgents, leaf.subAgents]).toEqual([[branch, other], [leaf], []]);
    expect([leaf.parentAgent, leaf.rootAgent, root.parentAgent, root.rootAgent]).toEqual([
      branch,
      root,
      undefined,
      root,
    ]);
  });

  it("has agents of this process, unless their class says otherwise", () => {
    verifies("enumerations:agent-origin:base-agent");
    class Remote extends LlmAgent {
      override readonly toolOrigin = AgentOrigin.A2A;
    }
    const { root, branch } = tree();
    const origins = [root, branch, new Remote({ name: "remote" })].map(({ toolOrigin }) => toolOrigin);
    expect(origins).toEqual(["BASE_AGENT", "BASE_AGENT", "A2A"]);
  });

  it("finds an agent anywhere below, and with findAgent itself too", () => {
    verifies("agents:base:find-agent", "agents:base:find-sub-agent");
    const { leaf, branch, root } = tree();
    expect(["root", "branch", "leaf", "none"].map((name) => root.findAgent(name))).toEqual([
      root,
      branch,
      leaf,
      undefined,
    ]);
    expect(["root", "branch", "leaf", "none"].map((name) => root.findSubAgent(name))).toEqual([
      undefined,
      branch,
      leaf,
      undefined,
    ]);
  });

  it.each([
    ["is given twice", () => createApp({ name: "app", rootAgent: new LlmAgent({ name: "root", subAgents: two() }) })],
    ["is the root's", () => createApp({ name: "app", rootAgent: new LlmAgent({ name: "twin", subAgents: [one()] }) })],
    ["belongs to an agent with another parent", () => new LlmAgent({ name: "root", subAgents: [adopted()] })],
  ])("is refused when a name %s", (_, build) => {
    verifies("agents:unique-names");
    expect(build).toThrowError(
      expect.objectContaining({ reason: "DUPLICATE_NAME", message: expect.stringContaining('"twin"') }),
    );
  });

  it.each(["user", "", "1st", "has space", "a.b"])("refuses the name %j", (name) => {
    expect(() => new LlmAgent({ name })).toThrowError(expect.objectContaining({ reason: "INVALID_FIELD" }));
  });
});

const one = () => new LlmAgent({ name: "twin" });
const two = () => [one(), one()];
function adopted(): LlmAgent {
  const child = one();
  new SequentialAgent({ name: "first_parent", subAgents: [child] });
  return child;
}

describe("toolsets", () => {
  class Numbers implements Toolset {
    readonly seen: string[] = [];
    closed = 0;
    async getTools(context: ReadonlyContext) {
      this.seen.push(`${context.agentName} of ${context.userId}: ${context.readonlyState["level"]}`);
      return [new FunctionTool({ name: "one", description: "Gives 1.", execute: () => 1 })];
    }
    async close() {
      this.closed += 1;
    }
  }

  it("give their tools for the context of each step", async () => {
    verifies("operations:toolset:get-tools");
    const toolset = new Numbers();
    const model = new ScriptedModel([functionCallResponse("one"), "done"]);
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model, tools: [toolset] }), {
      state: { level: 3 },
    });
    const [, answer] = await world.run("go");
    expect(answer?.content?.parts?.[0]?.functionResponse?.response).toEqual({ result: 1 });
    expect(toolset.seen).toEqual(["helper of ada: 3", "helper of ada: 3"]);
    expect(model.requests.map(({ functionDeclarations }) => functionDeclarations)).toEqual([
      [{ name: "one", description: "Gives 1." }],
      [{ name: "one", description: "Gives 1." }],
    ]);
  });

  it("are closed with their agent, and those of agents below with them", async () => {
    verifies("agents:base:close", "operations:toolset:close");
    const [own, below] = [new Numbers(), new Numbers()];
    const child = new LlmAgent({ name: "child", tools: [below] });
    await new LlmAgent({ name: "root", tools: [own], subAgents: [child] }).close();
    expect([own.closed, below.closed]).toEqual([1, 1]);
  });
});

describe("an LLM agent", () => {
  it("has an input schema that checks what it is given", async () => {
    const { inputSchema } = new LlmAgent({ name: "helper", inputSchema: z.object({ city: z.string() }) });
    expect(inputSchema?.jsonSchema).toMatchObject({ type: "object", required: ["city"] });
    expect([await inputSchema?.check({ city: "Rome" }), await inputSchema?.check({})]).toMatchObject([
      { ok: true, value: { city: "Rome" } },
      { ok: false },
    ]);
  });
});

describe("settings of a run", () => {
  it("reach the agent unchanged", async () => {
    verifies("configuration:run-config:other-fields");
    const seen: unknown[] = [];
    class Looker extends BaseAgent {
      protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
        seen.push(context.runConfig);
      }
    }
    const settings = {
      inputAudioTranscription: { languageCode: "de" },
      outputAudioTranscription: {},
      speechConfig: { voice: "a" },
      responseModalities: ["AUDIO"],
      saveInputBlobsAsArtifacts: true,
      customMetadata: [{ key: "k" }],
    };
    const world = await createAgentWorld(new Looker({ name: "looker" }));
    await world.run("go", settings);
    expect(seen).toEqual([expect.objectContaining(settings)]);
  });
});

describe("callbacks after an agent", () => {
  it("run once the agent's events are stored", async () => {
    const stored: string[][] = [];
    const agent = new LlmAgent({
      name: "helper",
      model: new ScriptedModel(["done"]),
      afterAgentCallback: async () => {
        stored.push((await world.session()).events.map(brief));
      },
    });
    const world = await createAgentWorld(agent);
    await world.run("go");
    expect(stored).toEqual([["user: go", "helper: done"]]);
  });
});
