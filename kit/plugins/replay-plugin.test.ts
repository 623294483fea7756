import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CallbackContext } from "#kit/core/context/callback-context.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { ReplayConfigError, ReplayVerificationError } from "../errors/replay-errors.ts";
import { userContent } from "../events/content.ts";
import { LlmRequest } from "../models/llm-request.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";
import { functionCallResponse, ScriptedModel, type ScriptedStep } from "../testing/scripted-model.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { REPLAY_CONFIG_KEY, ReplayPlugin, type ReplayPluginOptions } from "./replay-plugin.ts";

const FILE = "weather/paris/generated-recordings.yaml";
const PARIS = { dir: "weather/paris", user_message_index: 0 };

/** As ADK writes it: an agent that calls two tools in parallel, answers, and transfers the second message. */
const RECORDINGS = `recordings:
- user_message_index: 0
  agent_name: desk
  llm_recording:
    llm_request:
      model: some-model
      contents:
      - role: user
        parts: [{text: Weather?}]
      config: {system_instruction: Whatever.}
    llm_responses:
    - content:
        role: model
        parts:
        - function_call: {id: adk-1, name: look, args: {city_name: Paris}}
        - function_call: {id: adk-2, name: look, args: {city_name: Rome}}
      usage_metadata: {total_token_count: 9}
- user_message_index: 0
  agent_name: desk
  tool_recording:
    tool_call: {id: adk-2, name: look, args: {city_name: Rome}}
    tool_response: {id: adk-2, name: look, response: {sky_now: sun}}
- user_message_index: 0
  agent_name: desk
  tool_recording:
    tool_call: {id: adk-1, name: look, args: {city_name: Paris}}
    tool_response: {id: adk-1, name: look, response: {sky_now: fog}}
- user_message_index: 0
  agent_name: desk
  llm_recording:
    llm_responses:
    - {content: {role: model, parts: [{text: Fog}]}, partial: true}
    - {content: {role: model, parts: [{text: Fog and sun.}]}}
- user_message_index: 1
  agent_name: desk
  llm_recording:
    llm_responses:
    - content: {parts: [{function_call: {name: transfer_to_agent, args: {agent_name: hotels}}}], role: model}
- user_message_index: 1
  agent_name: desk
  tool_recording:
    tool_call: {name: transfer_to_agent, args: {agent_name: hotels}}
- user_message_index: 1
  agent_name: hotels
  llm_recording:
    llm_responses: [{content: Which town?}]
`;

async function createWorld(
  files: Readonly<Record<string, string>> = { [FILE]: RECORDINGS },
  options: Partial<ReplayPluginOptions> & {
    readonly state?: JsonObject;
    readonly steps?: readonly ScriptedStep[];
  } = {},
) {
  const { state = {}, steps = ["the real model"], ...rest } = options;
  const folder = agentsFolder(files);
  const looked: JsonObject[] = [];
  const look = new FunctionTool({
    name: "look",
    description: "Looks.",
    execute: (args: JsonObject) => {
      looked.push(args);
      return "not this";
    },
  });
  const model = new ScriptedModel(steps, { repeatLast: true });
  const hotels = new LlmAgent({ name: "hotels" });
  const agent = new LlmAgent({ name: "desk", model, tools: [look], subAgents: [hotels] });
  const logger = new RecordingLogger();
  const plugins = [new ReplayPlugin({ directory: folder.path, ...rest })];
  const world = await createAgentWorld(agent, { plugins, logger, state });
  const replay = async (message: string, config: JsonValue = PARIS): Promise<readonly string[]> =>
    (await world.run(message, { customMetadata: { [REPLAY_CONFIG_KEY]: config } })).map(brief);
  /** Why the replay failed, by the session's events. */
  const failure = async (message: string, config: JsonValue = PARIS): Promise<string | undefined> => {
    await expect(replay(message, config)).rejects.toMatchObject({ reason: expect.stringMatching(/^REPLAY_/) });
    return (await world.session()).events.map(brief).findLast((event) => event.includes("!"));
  };
  const warnings = () => logger.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  return { ...world, folder, model, looked, replay, failure, warnings };
}

describe("ReplayPlugin", () => {
  it("answers for models and tools as they did when they were recorded", async () => {
    verifies("plugins:provided:replay");
    const { replay, model, looked, warnings } = await createWorld();
    expect(await replay("Weather?")).toEqual([
      'desk: look({"city_name":"Paris"}) | look({"city_name":"Rome"})',
      'desk: look -> {"sky_now":"fog"} | look -> {"sky_now":"sun"}',
      "desk: Fog and sun.",
    ]);
    expect(await replay("A room, please", { ...PARIS, user_message_index: 1 })).toEqual([
      'desk: transfer_to_agent({"agent_name":"hotels"})',
      "desk: transfer_to_agent -> {}",
      "hotels: Which town?",
    ]);
    expect([model.requests, looked, warnings()]).toEqual([[], [], []]);
  });

  it("leaves runs alone that say nothing of a recording", async () => {
    const { run, model, looked, warnings } = await createWorld(undefined, {
      steps: [functionCallResponse("look", { city_name: "Oslo" }), "the real model"],
    });
    expect((await run("Weather?")).map(brief).at(-1)).toBe("desk: the real model");
    expect([model.requests.length, looked, warnings()]).toEqual([2, [{ city_name: "Oslo" }], []]);
  });

  it("reads the settings from the session's state too, and the recordings of a streaming run", async () => {
    const text = `recordings: [{userMessageIndex: 0, agentName: desk, llmRecording: {llmResponses: [{content: Streamed.}]}}]`;
    const { run } = await createWorld(
      { "case/generated-recordings-sse.yaml": text },
      { state: { [REPLAY_CONFIG_KEY]: { dir: "case", user_message_index: 0, streaming_mode: "sse" } } },
    );
    expect((await run("hello")).map(brief)).toEqual(["desk: Streamed."]);
  });

  it("runs the tools for their effects if that is configured, and drops their results", async () => {
    const { replay, looked } = await createWorld(undefined, { runTools: true });
    expect(await replay("Weather?")).toContain('desk: look -> {"sky_now":"fog"} | look -> {"sky_now":"sun"}');
    expect(looked).toEqual([{ city_name: "Paris" }, { city_name: "Rome" }]);
  });

  it("logs a prompt that differs, and a run that ends early; a strict one refuses the prompt", async () => {
    const short = RECORDINGS.replace(
      "- function_call: {id: adk-1, name: look, args: {city_name: Paris}}",
      "- text: Sun",
    );
    const early = short.replace("        - function_call: {id: adk-2, name: look, args: {city_name: Rome}}\n", "");
    const loose = await createWorld({ [FILE]: early });
    expect(await loose.replay("Other words")).toEqual(["desk: Sun"]);
    expect(loose.warnings()).toEqual([
      "prompt differs from the recorded one",
      "the run ended before all that was recorded",
    ]);
    const strict = await createWorld(undefined, { strict: true });
    expect(await strict.failure("Other words")).toBe(
      'desk: ! REPLAY_VERIFICATION: The prompt of agent "desk" differs from the recorded one.',
    );
  });

  it.each([
    [
      "name: look, args: {city_name: Rome}}\n    tool_response",
      "name: look, args: {city_name: Oslo}}\n    tool_response",
      'called look({"city_name":"Rome"}); recorded was calling look({"city_name":"Oslo"}).',
    ],
    [
      "tool_recording:\n    tool_call: {id: adk-1",
      "other: {}\n  tool_gone:\n    tool_call: {id: adk-1",
      'called look({"city_name":"Paris"}); recorded was calling look({"city_name":"Rome"}).',
    ],
    [
      "agent_name: desk\n  llm_recording:\n    llm_responses:\n    - {content: {role: model, parts: [{text: Fog}]}",
      "agent_name: other\n  llm_recording:\n    llm_responses:\n    - {content: {role: model, parts: [{text: Fog}]}",
      "asked its model, which was not recorded.",
    ],
  ])("ends a run that does something else: %j", async (found, other, problem) => {
    verifies("errors:replay:verification");
    const { failure } = await createWorld({ [FILE]: RECORDINGS.replace(found, other) });
    expect(await failure("Weather?")).toBe(`desk: ! REPLAY_VERIFICATION: Agent "desk" ${problem}`);
    expect(new ReplayVerificationError("x")).toMatchObject({ reason: "REPLAY_VERIFICATION" });
  });

  it.each<[JsonValue, string]>([
    ["weather", "_adk_replay_config is wrong: it should be an object."],
    [{ user_message_index: 0 }, "_adk_replay_config is wrong: dir should name a folder of recordings."],
    [{ dir: "weather/paris" }, "_adk_replay_config is wrong: user_message_index should be a whole number from 0."],
    [{ ...PARIS, dir: "" }, "_adk_replay_config is wrong: dir should name a folder of recordings."],
    [
      { ...PARIS, user_message_index: 0.5 },
      "_adk_replay_config is wrong: user_message_index should be a whole number from 0.",
    ],
    [
      { ...PARIS, user_message_index: -1 },
      "_adk_replay_config is wrong: user_message_index should be a whole number from 0.",
    ],
    [{ ...PARIS, streaming_mode: "bidi" }, '_adk_replay_config is wrong: streaming_mode should be "none" or "sse".'],
    [{ ...PARIS, dir: "nowhere" }, "There are no recordings in nowhere/generated-recordings.yaml."],
    [{ ...PARIS, dir: "../.." }, "../../generated-recordings.yaml is outside the folder of recordings."],
    [{ ...PARIS, dir: "linked" }, "linked/generated-recordings.yaml is outside the folder of recordings."],
    [{ ...PARIS, user_message_index: 7 }, "There are no recordings of message 7."],
    [{ ...PARIS, dir: "broken" }, "The recordings in broken/generated-recordings.yaml cannot be used: it is not YAML."],
    [
      { ...PARIS, dir: "wrong" },
      "The recordings in wrong/generated-recordings.yaml cannot be used: recordings[0].agentName is missing.",
    ],
  ])("refuses to begin with %j", async (config, problem) => {
    verifies("errors:replay:configuration");
    const { failure, folder, model } = await createWorld({
      [FILE]: RECORDINGS,
      "broken/generated-recordings.yaml": "recordings: [",
      "wrong/generated-recordings.yaml": "recordings: [{user_message_index: 0}]",
    });
    const elsewhere = agentsFolder({ "generated-recordings.yaml": RECORDINGS });
    mkdirSync(folder.path, { recursive: true });
    symlinkSync(elsewhere.path, join(folder.path, "linked"));
    expect(await failure("Weather?", config)).toContain(`! REPLAY_CONFIG: ${problem}`);
    expect(model.requests).toEqual([]);
    expect(new ReplayConfigError("x")).toMatchObject({ reason: "REPLAY_CONFIG" });
  });

  it("replays an answer without content", async () => {
    const text = `recordings: [{userMessageIndex: 0, agentName: desk, llmRecording: {llmResponses: [{errorCode: SAFETY}]}}]`;
    const { replay } = await createWorld({ [FILE]: text });
    expect(await replay("Weather?")).toEqual(["desk: ! SAFETY: undefined"]);
  });

  it("forgets the recording of a run at its end, and does not replay it for another session", async () => {
    const { path } = agentsFolder({ [FILE]: RECORDINGS });
    const plugin = new ReplayPlugin({ directory: path });
    const agent = new LlmAgent({ name: "desk" });
    const context = createInvocation({ agent, runConfig: { customMetadata: { [REPLAY_CONFIG_KEY]: PARIS } } });
    const ask = (asking = context) =>
      plugin.beforeModelCallback(
        new CallbackContext(asking),
        new LlmRequest({ model: "scripted", contents: [userContent("Weather?")] }),
      );
    await plugin.beforeRunCallback(context);
    expect(ask(createInvocation({ agent, sessionId: "other" }))).toBeUndefined();
    expect(ask()).toMatchObject({ usageMetadata: { totalTokenCount: 9 } });
    plugin.afterRunCallback(context);
    expect(ask()).toBeUndefined();
  });
});
