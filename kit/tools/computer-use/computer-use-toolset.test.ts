import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { type Content, type Part, userContent } from "#kit/events/content.ts";
import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel, type ScriptedStep } from "#kit/testing/scripted-model.ts";
import { RecordingComputer } from "#test/helpers/recording-computer.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type AgentWorld, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { type BaseComputer, ComputerEnvironment } from "./base-computer.ts";
import { type ComputerUseOptions, ComputerUseToolset } from "./computer-use-toolset.ts";

const MODEL = "gemini-2.5-computer-use-preview-10-2025";
const SAFETY = { decision: "require_confirmation", explanation: "This buys a ticket." };

interface World extends AgentWorld {
  readonly model: ScriptedModel;
  readonly toolset: ComputerUseToolset;
}

async function worldOf(
  steps: readonly ScriptedStep[],
  computer: BaseComputer,
  options: ComputerUseOptions = {},
  model = MODEL,
): Promise<World> {
  const scripted = new ScriptedModel(steps, { model });
  const toolset = new ComputerUseToolset(computer, undefined, options);
  const world = await createAgentWorld(new LlmAgent({ name: "clerk", model: scripted, tools: [toolset] }));
  return { ...world, model: scripted, toolset };
}

/** What each call answered, in order. */
async function responses(world: AgentWorld): Promise<readonly JsonObject[]> {
  const { events } = await world.session();
  return events.flatMap(({ content }) =>
    (content?.parts ?? []).flatMap(({ functionResponse }) =>
      functionResponse?.response === undefined ? [] : [functionResponse.response],
    ),
  );
}

function call(name: string, args: JsonObject = {}) {
  return functionCallResponse(name, args);
}

const ENVIRONMENTS = Object.values(ComputerEnvironment);

describe("ComputerUseToolset", () => {
  it("declares the model's tool for the computer's environment, and no function", async () => {
    verifies(
      "tools:computer-use:computer",
      "what-the-service-does:kit-computer-use-toolset",
      "operations:computer:environment",
      "enumerations:computer-environment:browser",
      "enumerations:computer-environment:unspecified",
    );
    expect(ENVIRONMENTS).toEqual(["ENVIRONMENT_UNSPECIFIED", "ENVIRONMENT_BROWSER"]);
    for (const environment of ENVIRONMENTS) {
      const { model, run } = await worldOf(["Done."], new RecordingComputer({ environment }));
      await run("Go.");
      expect(model.requests[0]).toMatchObject({ config: { modelTools: [{ computerUse: { environment } }] } });
      expect(model.requests[0]?.functionDeclarations).toEqual([]);
    }
  });

  it("declares excluded functions, and refuses calls of them", async () => {
    const computer = new RecordingComputer();
    const world = await worldOf([call("search"), "Done."], computer, { excludedPredefinedFunctions: ["search"] });
    await world.run("Go.");
    expect(world.model.requests[0]?.config.modelTools).toEqual([
      { computerUse: { environment: "ENVIRONMENT_BROWSER", excludedPredefinedFunctions: ["search"] } },
    ]);
    expect((await responses(world))[0]).toHaveProperty("error");
    expect(computer.actions).toEqual([]);
  });

  it("refuses a model that cannot use a computer, unless the check is off", async () => {
    const refused = await worldOf(["Done."], new RecordingComputer(), {}, "gemini-1.5-pro");
    await expect(refused.run("Go.")).rejects.toMatchObject({ details: { reason: "MODEL_TOOL_UNSUPPORTED" } });
    const allowed = await worldOf(["Done."], new RecordingComputer(), { anyModel: true }, "own-model");
    expect((await allowed.run("Go.")).at(-1)?.content?.parts).toEqual([{ text: "Done." }]);
  });

  it.each([
    ["open_web_browser", {}, ["openWebBrowser"]],
    ["click_at", { x: 500, y: 250 }, ["clickAt", 640, 200]],
    ["hover_at", { x: 0, y: 999 }, ["hoverAt", 0, 799]],
    ["click_at", { x: -5, y: 5000 }, ["clickAt", 0, 799]],
    [
      "type_text_at",
      { x: 1, y: 1, text: "hi" },
      ["typeTextAt", 1, 0, { text: "hi", pressEnter: true, clearBeforeTyping: true }],
    ],
    [
      "type_text_at",
      { x: 1000, y: 1000, text: "", press_enter: false, clear_before_typing: false },
      ["typeTextAt", 1279, 799, { text: "", pressEnter: false, clearBeforeTyping: false }],
    ],
    ["scroll_document", { direction: "down" }, ["scrollDocument", "down"]],
    ["scroll_at", { x: 10, y: 10, direction: "up" }, ["scrollAt", 12, 8, "up", 800]],
    ["scroll_at", { x: 10, y: 10, direction: "left", magnitude: 50 }, ["scrollAt", 12, 8, "left", 50]],
    ["drag_and_drop", { x: 0, y: 0, destination_x: 500, destination_y: 500 }, ["dragAndDrop", 0, 0, 640, 400]],
    ["go_back", {}, ["goBack"]],
    ["go_forward", {}, ["goForward"]],
    ["search", {}, ["search"]],
    ["navigate", { url: "https://example.com" }, ["navigate", "https://example.com"]],
    ["key_combination", { keys: "control+a" }, ["keyCombination", ["control", "a"]]],
    ["key_combination", { keys: "control++" }, ["keyCombination", ["control", "+"]]],
    ["key_combination", { keys: ["shift", "tab"] }, ["keyCombination", ["shift", "tab"]]],
    ["wait", { seconds: 2 }, ["wait", 2]],
    ["wait", { seconds: 1e9 }, ["wait", 30]],
    ["wait_5_seconds", {}, ["wait", 5]],
    ["current_state", {}, ["currentState"]],
  ] as const)("runs %s %j", async (name, args, action) => {
    verifies(
      "tools:computer-use:functions",
      "tools:computer-use:screen-size",
      "operations:computer:initialize",
      "operations:computer:click-at",
      "operations:computer:hover-at",
      "operations:computer:drag-and-drop",
      "operations:computer:go-back",
      "operations:computer:go-forward",
      "operations:computer:key-combination",
      "operations:computer:current-state",
    );
    const computer = new RecordingComputer();
    const world = await worldOf([call(name, args), "Done."], computer);
    await world.run("Go.");
    expect(computer.actions).toEqual([["initialize"], action]);
    expect(await responses(world)).toEqual([
      { image: { mimetype: "image/png", artifact: "computer_use/clerk.png", version: 0 }, url: "https://page.test/1" },
    ]);
  });

  it("takes another size of the model's coordinates", async () => {
    const computer = new RecordingComputer();
    const model = new ScriptedModel([call("click_at", { x: 50, y: 50 }), "Done."], { model: MODEL });
    const tools = [new ComputerUseToolset(computer, [100, 200])];
    await (await createAgentWorld(new LlmAgent({ name: "clerk", model, tools }))).run("Go.");
    expect(computer.actions.at(-1)).toEqual(["clickAt", 640, 200]);
  });

  it.each([
    ["click_at", { x: "1", y: 2 }, "x", "a number"],
    ["click_at", { y: 2 }, "x", "a number"],
    // A model may write 1e999.
    ["click_at", { x: Number.POSITIVE_INFINITY, y: 2 }, "x", "a number"],
    ["drag_and_drop", { x: 1, y: 2, destination_x: 1, destination_y: null }, "destination_y", "a number"],
    ["type_text_at", { x: 1, y: 2, text: 3 }, "text", "a text"],
    ["type_text_at", { x: 1, y: 2, text: "a", press_enter: "yes" }, "press_enter", "true or false"],
    ["scroll_document", { direction: "sideways" }, "direction", "one of up, down, left, right"],
    ["key_combination", { keys: "" }, "keys", 'names of keys, such as "control+a"'],
    ["key_combination", { keys: [1] }, "keys", 'names of keys, such as "control+a"'],
  ])("reports wrong arguments of %s to the model: %j", async (name, args, field, expected) => {
    const computer = new RecordingComputer();
    const world = await worldOf([call(name, args), "Done."], computer);
    await world.run("Go.");
    expect(await responses(world)).toEqual([{ error: `"${field}" should be ${expected}.` }]);
    expect(computer.actions).toEqual([["initialize"]]);
  });

  it("shows the newest screenshots to the model, and keeps their data out of the session's events", async () => {
    verifies("tools:computer-use:screenshots");
    const computer = new RecordingComputer();
    const steps = [1, 2, 3].map(() => call("go_back"));
    const world = await worldOf([...steps, "Done."], computer, { maxScreenshots: 2 });
    await world.run("Go.");

    const shown = imagesOf(world.model.requests.at(-1)?.contents ?? []);
    expect(shown).toEqual([undefined, "screen 2", "screen 3"]);
    const stored = JSON.stringify((await world.session()).events);
    expect(stored).not.toContain(Buffer.from("screen 3").toString("base64"));
    const artifact = { session: { appName: "app", userId: "ada", id: "talk" }, filename: "computer_use/clerk.png" };
    expect((await world.artifacts.listVersions(artifact)).versions).toEqual([0, 1, 2]);
  });

  it("puts the screenshot into the response if there is no artifact service", async () => {
    const model = new ScriptedModel([call("go_back"), "Done."], { model: MODEL });
    const tools = [new ComputerUseToolset(new RecordingComputer())];
    const app = createApp({ name: "app", rootAgent: new LlmAgent({ name: "clerk", model, tools }) });
    const runner = new Runner({ app, runConfig: { autoCreateSession: true } });
    const events = await Array.fromAsync(
      runner.runAsync({ userId: "ada", sessionId: "s", newMessage: userContent("Go.") }),
    );
    const data = Buffer.from("screen 1").toString("base64");
    expect(events[1]?.content?.parts?.[0]?.functionResponse?.response).toEqual({
      image: { mimetype: "image/png", data },
      url: "https://page.test/1",
    });
    expect(imagesOf(model.requests.at(-1)?.contents ?? [])).toEqual(["screen 1"]);
  });

  it("asks the user if the model's safety service wants it, and acknowledges what was allowed", async () => {
    verifies("tools:computer-use:safety");
    const computer = new RecordingComputer();
    const world = await worldOf([call("click_at", { x: 0, y: 0, safety_decision: SAFETY }), "Done."], computer);
    await world.run("Buy.");
    const question = await questionOf(world);
    expect(question.args?.["toolConfirmation"]).toEqual({ confirmed: false, hint: "This buys a ticket." });
    expect(computer.actions).toEqual([]);

    await world.run(answerTo(question.id, true));
    expect(computer.actions).toEqual([["initialize"], ["clickAt", 0, 0]]);
    expect((await responses(world)).at(-1)).toMatchObject({ safety_acknowledgement: "true" });
  });

  it("does not run what the user rejects", async () => {
    const computer = new RecordingComputer();
    const world = await worldOf([call("click_at", { x: 0, y: 0, safety_decision: SAFETY }), "Done."], computer);
    await world.run("Buy.");
    await world.run(answerTo((await questionOf(world)).id, false));
    expect(computer.actions).toEqual([]);
    expect((await responses(world)).at(-1)).toEqual({ error: "The user rejected this call. It did not run." });
  });

  it.each([{ decision: "regular" }, { decision: "allowed" }, null])("runs what needs no person: %j", async (safety) => {
    const computer = new RecordingComputer();
    const world = await worldOf([call("go_back", { safety_decision: safety }), "Done."], computer);
    await world.run("Go.");
    expect(computer.actions.at(-1)).toEqual(["goBack"]);
    expect((await responses(world))[0]).not.toHaveProperty("safety_acknowledgement");
  });

  it.each<JsonValue>([{ decision: "block" }, { decision: "REQUIRE_CONFIRMATION" }, {}, "yes", 1])(
    "asks the user for a decision that it does not know: %j",
    async (safety) => {
      const computer = new RecordingComputer();
      const world = await worldOf([call("go_back", { safety_decision: safety }), "Done."], computer);
      await world.run("Go.");
      expect((await questionOf(world)).name).toBe(CONFIRMATION_CALL);
      expect(computer.actions).toEqual([]);
    },
  );

  it("opens the last page again on a new computer, and does not act on a screen that the model has not seen", async () => {
    verifies("tools:computer-use:lost");
    const computer = new RecordingComputer();
    const world = await worldOf([call("navigate", { url: "https://shop.test" }), "Done."], computer);
    await world.run("Go.");

    const restarted = new RecordingComputer();
    const model = new ScriptedModel([call("click_at", { x: 1, y: 1 }), call("go_back"), "Done."], { model: MODEL });
    const agent = new LlmAgent({ name: "clerk", model, tools: [new ComputerUseToolset(restarted)] });
    const { journal, sessionService } = world.runner;
    const runner = new Runner({ appName: world.runner.app.name, agent, journal, sessionService });
    const { userId, id: sessionId } = await world.session();
    await Array.fromAsync(runner.runAsync({ userId, sessionId, newMessage: userContent("Go on.") }));
    expect(restarted.actions).toEqual([["initialize"], ["navigate", "https://page.test/1"], ["goBack"]]);
    const [, lost, back] = await responses(world);
    expect(lost).toMatchObject({ error: expect.stringContaining("click_at did not run"), image: expect.anything() });
    expect(back).not.toHaveProperty("error");
  });

  it("does not open a page that a client has written into the state", async () => {
    verifies("states:events:provenance");
    const computer = new RecordingComputer();
    const model = new ScriptedModel([call("go_back"), "Done."], { model: MODEL });
    const agent = new LlmAgent({ name: "clerk", model, tools: [new ComputerUseToolset(computer)] });
    const world = await createAgentWorld(agent, { state: { clerk_computer_url: "http://169.254.169.254/" } });
    const { userId, id: sessionId } = await world.session();
    const stateDelta = { clerk_computer_url: "file:///etc/passwd" };
    const newMessage = userContent("Go back.");
    await Array.fromAsync(world.runner.runAsync({ userId, sessionId, newMessage, stateDelta }));
    expect(computer.actions).toEqual([["initialize"], ["goBack"]]);
  });

  it("initialises again after a failure", async () => {
    const computer = new RecordingComputer({ failures: 1 });
    const world = await worldOf([call("go_back"), call("go_back"), "Done."], computer);
    await world.run("Go.");
    expect(computer.actions).toEqual([["initialize"], ["initialize"], ["goBack"]]);
    expect((await responses(world))[0]).toEqual({ error: "The computer does not start." });
  });

  it("closes the computer with its agent", async () => {
    verifies("operations:computer:close");
    const computer = new RecordingComputer();
    const world = await worldOf(["Done."], computer);
    await world.run("Go.");
    await world.runner.close();
    expect(computer.actions).toEqual([["close"]]);
  });

  it.each([
    [() => new ComputerUseToolset(Object(undefined)), "`computer` must be a BaseComputer"],
    [() => new ComputerUseToolset(new RecordingComputer(), [0, 5]), "`screenSize` must be a width and a height"],
    [() => new ComputerUseToolset(new RecordingComputer(), [5]), "`screenSize` must be a width and a height"],
    [() => new ComputerUseToolset(new RecordingComputer(), [1, 2, 3]), "`screenSize` must be a width and a height"],
    [
      () => new ComputerUseToolset(new RecordingComputer(), undefined, { maxScreenshots: 0 }),
      "maxScreenshots must be an integer of at least 1",
    ],
    [
      () => new ComputerUseToolset(new RecordingComputer(), undefined, { excludedPredefinedFunctions: ["fly"] }),
      "`excludedPredefinedFunctions` must be some of open_web_browser",
    ],
  ])("refuses wrong arguments", (make, message) => {
    expect(make).toThrow(message);
  });
});

function imagesOf(contents: readonly Content[]): readonly (string | undefined)[] {
  const parts = contents.flatMap((content) => content.parts ?? []).filter(({ functionResponse }) => functionResponse);
  return parts.map(({ functionResponse }) => {
    // Parts of a response have the form of parts of a message.
    const [image] = (functionResponse?.parts ?? []) as readonly Part[];
    return image === undefined ? undefined : Buffer.from(image.inlineData?.data ?? "", "base64").toString();
  });
}

async function questionOf(world: AgentWorld) {
  const { events } = await world.session();
  const call = events.at(-1)?.content?.parts?.[0]?.functionCall;
  if (call === undefined) throw new Error("no question was asked");
  return call;
}

function answerTo(id: string | undefined, confirmed: boolean): Content {
  const functionResponse = { ...(id !== undefined && { id }), name: CONFIRMATION_CALL, response: { confirmed } };
  return { role: "user", parts: [{ functionResponse }] };
}
