import { describe, expect, it } from "vitest";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { type Content, modelContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

const SESSION = "/apps/app/users/ada/sessions/talk";
const WELL = ["user: still there?", "helper: well"];

/** Throws while it is on. */
class Fuse {
  isOn = true;
  readonly blow = (): void => {
    if (this.isOn) throw new Error("always");
  };
}

/**
 * Calls the tool, and answers "well" from the next turn on. The model or the tool of `fails` throws while the fuse is
 * on.
 */
function helper(fuse: Fuse, fails: "model" | "tool" | undefined, options: Partial<LlmAgentOptions> = {}): LlmAgent {
  const model: BaseLlm = {
    model: "plain",
    async *generateContentAsync({ contents }) {
      if (fails === "model") fuse.blow();
      const newest = contents.at(-1)?.parts?.[0]?.text;
      if (newest === "go") yield functionCallResponse("act");
      else yield { content: modelContent(newest === "still there?" ? "well" : "I see") };
    },
  };
  const execute = () => (fails === "tool" ? fuse.blow() : "done");
  const tools = [new FunctionTool({ name: "act", description: "Acts.", execute })];
  return new LlmAgent({ name: "helper", model, tools, ...options });
}

/** Each hook, with the part that has to fail before it is called. */
const HOOKS: readonly (readonly [Exclude<keyof Plugin, "name">, "model" | "tool" | undefined])[] = [
  ["onUserMessageCallback", undefined],
  ["beforeRunCallback", undefined],
  ["onEventCallback", undefined],
  ["beforeAgentCallback", undefined],
  ["afterAgentCallback", undefined],
  ["beforeModelCallback", undefined],
  ["afterModelCallback", undefined],
  ["onModelErrorCallback", "model"],
  ["beforeToolCallback", undefined],
  ["afterToolCallback", undefined],
  ["onToolErrorCallback", "tool"],
];

describe("a callback that throws", () => {
  it.each(HOOKS)("in a plugin's %s: a stored error names it, and the next turn works", async (hook, fails) => {
    const fuse = new Fuse();
    const plugin: Plugin = { name: "broken", [hook]: fuse.blow };
    await using world = await startServerWorld({ agent: helper(fuse, fails), plugins: [plugin] });
    expect((await world.say("go")).status).toBe(500);
    fuse.isOn = false;
    await world.say("still there?");
    expect((await world.stored()).slice(-3)).toEqual([
      `helper: ! CALLBACK_FAILED: Plugin "broken" failed in ${hook}: always`,
      ...WELL,
    ]);
  });

  it.each(HOOKS.slice(3))("as the agent's own %s: a stored error names the agent", async (hook, fails) => {
    const fuse = new Fuse();
    await using world = await startServerWorld({ agent: helper(fuse, fails, { [hook]: fuse.blow }) });
    expect((await world.say("go")).status).toBe(500);
    fuse.isOn = false;
    await world.say("still there?");
    expect((await world.stored()).slice(-3)).toEqual([
      `helper: ! CALLBACK_FAILED: Agent "helper" failed in ${hook}: always`,
      ...WELL,
    ]);
  });

  it("in every hook, those of the end included: the first is reported, and the next turn works", async () => {
    const fuse = new Fuse();
    const ends = ["afterRunCallback", "onRunErrorCallback"] as const;
    const hooks = [...HOOKS.map(([hook]) => hook), ...ends].map((hook) => [hook, fuse.blow]);
    const plugin: Plugin = { name: "broken", ...Object.fromEntries(hooks) };
    await using world = await startServerWorld({ agent: helper(fuse, undefined), plugins: [plugin] });
    expect((await world.say("go")).status).toBe(500);
    fuse.isOn = false;
    await world.say("still there?");
    const failure = 'helper: ! CALLBACK_FAILED: Plugin "broken" failed in onUserMessageCallback: always';
    expect(await world.stored()).toEqual([failure, ...WELL]);
    expect(world.logger.lines.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      "onRunErrorCallback failed",
      "afterRunCallback failed",
    ]);
  });
});

/** Values that plain JavaScript may return in place of content. */
const NONSENSE = { parts: [{ text: 5 }] } as unknown as Content;
const PROBLEM = "content.parts[0].text is not a text";

class Careless extends BaseAgent {
  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event> {
    const isFirst = context.userContent?.parts?.[0]?.text === "go";
    yield context.createEvent({ content: isFirst ? NONSENSE : modelContent("well") });
  }
}

describe("code that gives nonsense in the place of content", () => {
  it.each<
    readonly [string, (fuse: Fuse) => { readonly agent: BaseAgent; readonly plugins?: readonly Plugin[] }, string]
  >([
    [
      "a subclass of BaseAgent",
      () => ({ agent: new Careless({ name: "helper" }) }),
      `INVALID_FIELD: An event of "helper" was not stored: ${PROBLEM}.`,
    ],
    [
      "a callback before the model",
      (fuse) => ({
        agent: helper(fuse, undefined, { beforeModelCallback: () => (fuse.isOn ? { content: NONSENSE } : undefined) }),
      }),
      `MESSAGE_CONVERSION: Invalid message structure: ${PROBLEM}`,
    ],
    [
      "a callback before the agent",
      (fuse) => ({ agent: helper(fuse, undefined, { beforeAgentCallback: () => (fuse.isOn ? NONSENSE : undefined) }) }),
      `INVALID_FIELD: An event of "helper" was not stored: ${PROBLEM}.`,
    ],
    [
      "a plugin's change of an event",
      (fuse) => ({
        agent: helper(fuse, undefined),
        plugins: [
          { name: "odd", onEventCallback: (_context, event) => (fuse.isOn ? { ...event, content: NONSENSE } : event) },
        ],
      }),
      `INVALID_FIELD: An event of "helper" was not stored: ${PROBLEM}.`,
    ],
  ])("is not stored: %s", async (_case, make, error) => {
    const fuse = new Fuse();
    await using world = await startServerWorld(make(fuse));
    await world.say("go");
    fuse.isOn = false;
    await world.say("still there?");
    expect(await world.stored()).toEqual(["user: go", `helper: ! ${error}`, ...WELL]);
  });
});

describe("an instruction with stray braces", () => {
  it.each([
    ["{", "{"],
    ["}{", "}{"],
    ["{ {name} }", "{ Ada }"],
    ['{"a": {"b": 1}}', '{"a": {"b": 1}}'],
    ["{{name}} {missing} {not valid} {artifact.gone.txt?}|", "Ada {missing} {not valid} |"],
    ["{name", "{name"],
    ["{}{?}{:}{artifact.}{a:b:c}", "{}{?}{:}{artifact.}{a:b:c}"],
  ])("%s is reported as %s", async (instruction, expected) => {
    const model = new ScriptedModel(["well"]);
    await using world = await startServerWorld({ agent: new LlmAgent({ name: "helper", model, instruction }) });
    await world.send("PATCH", SESSION, { stateDelta: { name: "Ada" } });
    expect((await world.say("still there?")).status).toBe(200);
    expect(model.requests[0]?.systemInstruction.split("\n\n")[0]).toBe(expected);
  });
});

describe("state keys that are not allowed", () => {
  it.each(["_adk", "_adk_code", "user:_adk_x", "app:constructor", "prototype", "temp:_adk"])(
    "%s is refused by name, with a change and with a message, and nothing is stored",
    async (key) => {
      await using world = await startServerWorld({ agent: helper(new Fuse(), undefined) });
      const newMessage = { role: "user", parts: [{ text: "go" }] };
      const run = { appName: "app", userId: "ada", sessionId: "talk", newMessage, stateDelta: { [key]: 1 } };
      const answers = [
        await world.send("PATCH", SESSION, { stateDelta: { [key]: 1 } }),
        await world.send("POST", "/run", run),
        await world.send("POST", "/apps/app/users/ada/sessions", { state: { [key]: 1 } }),
      ];
      expect(answers.map(({ status, text }) => [status, JSON.parse(text).reason])).toEqual(
        answers.map(() => [400, "RESERVED_STATE_KEY"]),
      );
      await world.say("still there?");
      expect(await world.stored()).toEqual(WELL);
    },
  );
});

it("agents that refer to each other in a circle are a named error for every message, until the files are fixed", async () => {
  verifies("errors:configuration");
  const llm = (name: string, more = "") => `name: ${name}\nmodel: demo/chat\ninstruction: Help.\n${more}`;
  const folder = agentsFolder({
    "app/root_agent.yaml": llm("helper", "subAgents: [{configPath: other.yaml}]\n"),
    "app/other.yaml": llm("other", "subAgents: [{configPath: root_agent.yaml}]\n"),
  });
  const agentLoader = new DirectoryAgentLoader({
    directory: folder.path,
    watch: { notices: false, pollMs: 1_000_000 },
  });
  await using world = await startServerWorld({ agentLoader });
  expect(JSON.parse((await world.say("go")).text)).toMatchObject({
    reason: "CONFIGURATION",
    message: expect.stringContaining("refer to each other in a circle"),
  });
  await expect(agentLoader.loadAgent("app")).rejects.toBeInstanceOf(ConfigurationException);
  folder.write("app/other.yaml", llm("other"));
  await agentLoader.refresh();
  expect((await world.say("hello")).status).toBe(200);
  expect(await world.stored()).toEqual(["user: hello", expect.stringMatching(/^helper: /)]);
});
