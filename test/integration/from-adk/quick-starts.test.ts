import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { textOf, userContent } from "#kit/events/content.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

/** Loads an agent that is written for ADK, with another import and this model. */
async function load(name: string, steps: readonly ScriptedStep[]) {
  const source = readFileSync(join(REPOSITORY_ROOT, `test/fixtures/from-adk/${name}/agent.ts`), "utf8");
  const text = source.replace('"@google/adk"', '"fairlead/adk"').replace('"gemini-2.5-flash"', `"from-adk/${name}"`);
  const model = new ScriptedModel(steps);
  defaultModelRegistry.register(new RegExp(`^from-adk/${name}$`), () => model);
  const folder = agentsFolder({ [`${name}/agent.ts`]: text });
  const loader = new DirectoryAgentLoader({ directory: folder.path, hotReload: false });
  onTestFinished(() => loader.close());
  const { app } = await loader.loadAgent(name);
  const file = pathToFileURL(join(folder.path, name, "agent.ts")).href;
  const store = new InMemorySessionStore();
  const runner = new Runner({ app, sessionService: store });
  return {
    model,
    /** The exports of the agent's own module. */
    module: () => import(/* @vite-ignore */ file) as Promise<Readonly<Record<string, unknown>>>,
    run: async (message: string, state = {}) => {
      const { id } = await store.createSession({ appName: app.name, userId: "ada", state });
      const events = runner.runAsync({ userId: "ada", sessionId: id, newMessage: userContent(message) });
      const spoken = (await Array.fromAsync(events)).map(
        ({ author, content }) => [author, content?.parts?.[0]] as const,
      );
      return { spoken, session: await store.getSession({ appName: app.name, userId: "ada", id }) };
    },
  };
}

function has(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && name in value;
}

async function callExport(module: Readonly<Record<string, unknown>>, name: string, argument: unknown) {
  const call = module[name];
  if (typeof call !== "function") throw new Error(`the agent's module exports no function ${name}`);
  return Reflect.apply(call, undefined, [argument]);
}

describe("an agent of ADK with another import and another model", () => {
  it("answers with two tools", async () => {
    const world = await load("weather-time", [
      functionCallResponse("get_weather", { city: "Lisbon" }),
      functionCallResponse("get_local_time", { city: "Rome" }),
      functionCallResponse("get_weather", { city: {} }),
      "Clear, and noon.",
    ]);
    const { spoken } = await world.run("Weather and time?");
    expect(spoken.flatMap(([, part]) => part?.functionResponse?.response ?? [])).toEqual([
      { status: "success", report: "Lisbon: clear, 24 degrees." },
      { status: "success", report: "It is noon in Rome." },
      { error: expect.stringContaining("city") },
    ]);
    expect(spoken.at(-1)).toEqual(["weather_time_agent", { text: "Clear, and noon." }]);
    const [first] = world.model.requests;
    expect(first?.systemInstruction).toContain("Answer with the results of your tools");
    expect(first?.functionDeclarations.map(({ name }) => name)).toEqual(["get_weather", "get_local_time"]);
  });

  it("writes in a sequence, revises in a loop until a tool escalates, and works in parallel", async () => {
    const answer: ScriptedStep = ({ systemInstruction: instruction, contents }) => {
      const isAnswered = contents.at(-1)?.parts?.some((part) => part.functionResponse !== undefined) === true;
      if (isAnswered) return "left";
      if (instruction.includes("first draft")) return instruction.includes("the topic cats") ? "draft 1" : "no topic";
      if (instruction.includes("Criticise"))
        return instruction.includes("draft 2") ? "Nothing to improve." : "Shorter.";
      if (instruction.includes("Revise"))
        return instruction.includes("criticism Nothing to improve.") ? functionCallResponse("leave_loop") : "draft 2";
      if (instruction.includes("titler"))
        return `Title of ${instruction.slice(instruction.indexOf("draft"), instruction.indexOf("draft") + 7)}`;
      return instruction.includes("tagger") ? "#cats" : functionCallResponse("exit_loop");
    };
    const world = await load(
      "writing-loop",
      Array.from({ length: 20 }, () => answer),
    );
    const { spoken, session } = await world.run("Write.", { topic: "cats" });
    const authors = spoken.map(([author]) => author);
    expect(authors.slice(0, 5)).toEqual(["writer", "critic", "reviser", "critic", "reviser"]);
    expect(authors.filter((author) => author === "critic")).toHaveLength(2);
    expect(authors.filter((author) => author === "checker")).toHaveLength(2);
    expect(spoken.flatMap(([, part]) => part?.functionResponse?.name ?? [])).toEqual(["leave_loop", "exit_loop"]);
    expect(session?.state).toMatchObject({
      criticism: "Nothing to improve.",
      titler: expect.stringContaining("Title of"),
      tagger: "#cats",
    });
  });

  it("answers as a team with state, callbacks of one object, a plugin and a runner of its own", async () => {
    const world = await load("weather-team", [
      functionCallResponse("get_weather", { city: "Rome" }),
      "It is 77 °F.",
      functionCallResponse("get_weather", { city: "Paris" }),
      "?",
      functionCallResponse("transfer_to_agent", { agent_name: "greeter" }),
      functionCallResponse("say_hello", { name: "Ada" }),
      "Hello, Ada!",
      "once",
    ]);
    const module = await world.module();
    const talk = await callExport(module, "talk", ["Weather in Rome?", "BLOCK it", "Weather in Paris?", "Hello"]);
    expect(talk).toEqual({
      answers: [
        "weather_team: It is 77 °F.",
        "weather_team: I cannot answer that.",
        "weather_team: I do not know.",
        "greeter: Hello, Ada!",
      ],
      state: {
        "user:unit": "Fahrenheit",
        last_city: "Rome",
        last_report: "I do not know.",
        guard_model: "weather_team",
        guard_tool: true,
      },
    });
    const counter = module["counter"];
    expect(has(counter, "runs") && [counter["runs"], counter["modelCalls"]]).toEqual([4, 8]);
    const responses = world.model.requests.flatMap(
      ({ contents }) => contents.at(-1)?.parts?.[0]?.functionResponse ?? [],
    );
    expect(responses.map(({ response }) => response)).toEqual([
      { report: "Rome: 77 °F", checked: true },
      { report: "Reports for Paris are disabled.", checked: true },
      { greeting: "Hello, Ada!" },
    ]);
    expect(await callExport(module, "askOnce", "Hello")).toEqual(["once"]);
    expect(textOf(world.model.requests.at(-1)?.contents.at(-1))).toBe("Hello");
  });
});
