import { describe, expect, it } from "vitest";
import { type Content, modelContent, type Part, userContent } from "#kit/events/content.ts";
import type { Sleep } from "#kit/platform/sleep.ts";
import { type FunctionDeclaration, type GenerateContentConfig, LlmRequest } from "../llm-request.ts";
import type { LlmResponse } from "../llm-response.ts";
import { DemoModel } from "./demo-model.ts";

const WEATHER: FunctionDeclaration = {
  name: "get_weather",
  description: "The weather of a city right now.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const DRAW: FunctionDeclaration = {
  name: "draw_shape",
  description: "Draws a shape and saves it as a picture.",
  parameters: {
    type: "object",
    properties: {
      shape: { type: "string", enum: ["circle", "square"] },
      color: { type: "string" },
      size: { type: "integer", minimum: 10 },
      filled: { type: "boolean", default: true },
      title: { type: "string" },
    },
    required: ["shape", "size"],
  },
};

interface Asked {
  readonly model?: string;
  readonly tools?: readonly FunctionDeclaration[];
  readonly instructions?: readonly string[];
  readonly config?: GenerateContentConfig;
  readonly contents: readonly Content[];
}

function requestOf({ model = "demo/chat", tools = [], instructions = [], config = {}, contents }: Asked): LlmRequest {
  const request = new LlmRequest({ model, contents: [...contents], config });
  request.appendTools(...tools.map((declaration) => ({ name: declaration.name, getDeclaration: () => declaration })));
  request.appendInstructions(...instructions);
  return request;
}

async function ask(asked: Asked): Promise<readonly Part[]> {
  const options = { stream: false, signal: new AbortController().signal };
  const [response] = await Array.fromAsync(
    new DemoModel({ model: asked.model }).generateContentAsync(requestOf(asked), options),
  );
  return response?.content?.parts ?? [];
}

const askText = async (text: string, asked: Omit<Asked, "contents"> = {}): Promise<readonly Part[]> =>
  ask({ ...asked, contents: [userContent(text)] });
const call = (name: string, args: object): unknown => ({ functionCall: { name, args } });
const answered = (name: string, response: NonNullable<Part["functionResponse"]>["response"]): readonly Content[] => [
  userContent("What is the weather in Paris?"),
  { role: "model", parts: [{ functionCall: { name, args: { city: "Paris" } } }] },
  { role: "user", parts: [{ functionResponse: { name, ...(response !== undefined && { response }) } }] },
];

describe("DemoModel", () => {
  it("says that it is a demo, and repeats the message and the names of its tools", async () => {
    expect(await askText("Hi there", { tools: [WEATHER] })).toEqual([
      {
        text:
          "(demo model) You said: “Hi there”. I am a script and not a language model: set a model with a key to get real answers." +
          " I can call: get_weather.",
      },
    ]);
  });

  it.each([
    ["What is the weather in Paris?", ["Paris"]],
    ["weather in New York and Rome, please", ["New York", "Rome"]],
    ["Does it rain in Oslo, Bergen or Aix-en-Provence?", ["Oslo", "Bergen", "Aix-en-Provence"]],
    ["weather in tokyo", ["Tokyo"]],
    ["And in Berlin?", ["Berlin"]],
    ["Compare Rome and Oslo.", ["Rome", "Oslo"]],
    ["São Paulo: is it warm in São Paulo?", ["São Paulo"]],
  ])("finds the cities of %j", async (text, cities) => {
    expect(await askText(text, { model: "demo/weather", tools: [WEATHER] })).toEqual(
      cities.map((city) => call("get_weather", { city })),
    );
  });

  it("asks for a city when the user names none", async () => {
    expect(await askText("How is the weather?", { model: "demo/weather", tools: [WEATHER] })).toEqual([
      { text: "(demo model) I tell the weather of a city. Ask me, for example: what is the weather in Paris?" },
    ]);
  });

  it.each([
    [
      { city: "Paris", temperatureCelsius: 21, sky: ["clear", "calm"] },
      "city: Paris, temperature celsius: 21, sky: clear, calm.",
    ],
    [{ report: "Sunny in Paris." }, "Sunny in Paris."],
    [{ error: "no such city" }, "get_weather failed: no such city."],
    [{ result: { high: 3 } }, "high: 3."],
    [
      {
        content: [
          { type: "text", text: "Sunny." },
          { type: "text", text: "Warm." },
        ],
      },
      "Sunny. Warm.",
    ],
    [{ content: [{ type: "image", data: "AA==" }] }, "content: type: image, data: AA==."],
  ])("answers with the facts of the tool's response %j", async (response, facts) => {
    const contents = answered("get_weather", response);
    expect(await ask({ model: "demo/weather", tools: [WEATHER], contents })).toEqual([
      { text: `(demo model) The weather station says: ${facts}` },
    ]);
  });

  it("derives arguments of any tool from its schema and the text", async () => {
    expect(
      await askText('Draw a blue square of 40 pixels called "Home"', { model: "demo/artist", tools: [WEATHER, DRAW] }),
    ).toEqual([call("draw_shape", { shape: "square", color: "blue", size: 40, filled: true, title: "Home" })]);
    expect(await askText("Draw a circle of eight pixels", { model: "demo/artist", tools: [DRAW] })).toEqual([
      call("draw_shape", { shape: "circle", size: 8, filled: true }),
    ]);
    expect(await askText("draw something", { model: "demo/artist", tools: [DRAW] })).toEqual([
      call("draw_shape", { shape: "circle", size: 10, filled: true }),
    ]);
  });

  it("calls the tool whose name and description fit the text best", async () => {
    const tools = [
      { name: "list_orders", description: "Lists the orders of a customer." },
      { name: "cancel_order", description: "Cancels an order of a customer." },
    ];
    expect(await askText("Please cancel my order", { tools })).toEqual([call("cancel_order", {})]);
  });

  it.each([
    ["outliner", /^\(demo model\) Outline for “lighthouses”/],
    ["drafter", /^\(demo model\) Many people pass lighthouses by/],
    ["editor", /^\(demo model\) # Lighthouses/],
  ])("answers for the step of a pipeline that matches the agent's name: %s", async (name, expected) => {
    const contents = [
      userContent("Write a short text about lighthouses."),
      {
        role: "user",
        parts: [{ text: "For context: this is what another agent did." }, { text: "[x] said: other words" }],
      },
    ];
    const instructions = ["Edit, draft or outline the text.", `You are an agent. Your internal name is "${name}".`];
    expect(await ask({ model: "demo/writer", instructions, contents })).toEqual([
      { text: expect.stringMatching(expected) },
    ]);
  });

  it("answers the user's own words in a message that also has what an agent relayed", async () => {
    const relayed = ["For context: this is what another agent did.", "[x] called tool `pay` with parameters: 7"];
    const parts = ["Good morning.", ...relayed].map((text) => ({ text }));
    expect(await ask({ contents: [{ role: "user", parts }] })).toEqual([
      { text: expect.stringContaining("You said: “Good morning.”") },
    ]);
  });

  it("transfers to the agent whose description fits the text better than its own", async () => {
    const transfer = {
      name: "transfer_to_agent",
      parameters: {
        type: "object",
        properties: { agent_name: { type: "string", enum: ["poet", "banker"] } },
        required: ["agent_name"],
      },
    };
    const instructions = [
      'You are an agent. Your internal name is "desk". The description about you is "Greets people".',
      "Agent name: poet\nAgent description: Writes poems",
      "Agent name: banker\nAgent description: Knows loans and interest",
    ];
    expect(await askText("What interest do loans cost?", { tools: [transfer], instructions })).toEqual([
      call("transfer_to_agent", { agent_name: "banker" }),
    ]);
    expect(await askText("Who greets people?", { tools: [transfer], instructions })).toEqual([
      { text: expect.stringContaining("You said") },
    ]);
  });

  it("answers by schema if the request has one", async () => {
    const responseSchema = {
      type: "object",
      properties: { title: { type: "string" }, stars: { type: "integer" } },
      required: ["title", "stars"],
    };
    expect(await askText("Rate a film about 3 whales", { config: { responseSchema } })).toEqual([
      { text: '{"title":"3 whales","stars":3}' },
    ]);
  });

  it("streams word by word with a pause before each, then the whole answer", async () => {
    const pauses: number[] = [];
    const sleep: Sleep = async (milliseconds) => void pauses.push(milliseconds);
    const model = new DemoModel({ model: "demo/weather", pauseMs: 5, sleep });
    const request = requestOf({ contents: [userContent("Hello")] });
    const responses = await Array.fromAsync(
      model.generateContentAsync(request, { stream: true, signal: new AbortController().signal }),
    );
    const whole = "(demo model) I tell the weather of a city. Ask me, for example: what is the weather in Paris?";
    const words = whole.split(/(?<= )/).map((text): LlmResponse => ({ content: modelContent(text), partial: true }));
    expect([responses, pauses]).toEqual([
      [
        ...words,
        {
          content: modelContent(whole),
          finishReason: "STOP",
          modelVersion: "demo/weather",
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 19, totalTokenCount: 20 },
        },
      ],
      words.map(() => 5),
    ]);
  });

  it("stops in the middle of a pause when it is aborted", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const model = new DemoModel({ model: "demo/chat", pauseMs: 60_000 });
    const answers = model.generateContentAsync(requestOf({ contents: [userContent("Hi")] }), {
      stream: true,
      signal: controller.signal,
    });
    const next = answers[Symbol.asyncIterator]().next();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });
});
