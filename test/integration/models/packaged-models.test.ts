import { defaultModelRegistry } from "fairlead/models";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StreamingMode } from "#kit/core/context/run-config.ts";
import { textOf } from "#kit/events/content.ts";
import type { LlmAgentOptions } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { BEDROCK } from "#test/fakes/providers/bedrock-format.ts";
import { GROQ, MISTRAL, OLLAMA } from "#test/fakes/providers/chat-formats.ts";
import type { ProviderFormat, Said } from "#test/fakes/providers/provider-format.ts";
import { responsesFormat } from "#test/fakes/providers/responses-format.ts";
import { startProvider } from "#test/fakes/providers/start-provider.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

const AZURE = responsesFormat(
  ({ path, headers }) => /^\/openai\/v1\/responses(\?|$)/.test(path) && headers["api-key"] === "test-key",
);

interface Provider {
  readonly name: string;
  readonly format: ProviderFormat;
  readonly environment: (url: string) => Readonly<Record<string, string>>;
}

const PROVIDERS: readonly Provider[] = [
  {
    name: "bedrock/anthropic.claude-sonnet-5-5-v1:0",
    format: BEDROCK,
    environment: (url) => ({ AWS_BEARER_TOKEN_BEDROCK: "test-key", AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
  },
  {
    name: "azure/deployed-1",
    format: AZURE,
    environment: (url) => ({ AZURE_API_KEY: "test-key", AZURE_BASE_URL: `${url}/openai/v1` }),
  },
  {
    name: "mistral/mistral-large-latest",
    format: MISTRAL,
    environment: (url) => ({ MISTRAL_API_KEY: "test-key", MISTRAL_BASE_URL: url }),
  },
  {
    name: "groq/llama-4-scout",
    format: GROQ,
    environment: (url) => ({ GROQ_API_KEY: "test-key", GROQ_BASE_URL: url }),
  },
  { name: "ollama/qwen3", format: OLLAMA, environment: (url) => ({ OLLAMA_BASE_URL: url }) },
];

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
const text = (...pieces: readonly string[]): Said => ({ kind: "text", pieces });

describe.each(PROVIDERS)("$name", ({ name, format, environment }) => {
  async function start(options: Partial<LlmAgentOptions>, ...said: readonly [Said, ...Said[]]) {
    const server = await startProvider(format, ...said);
    onTestFinished(() => server[Symbol.asyncDispose]());
    for (const [variable, value] of Object.entries(environment(server.url))) vi.stubEnv(variable, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const world = await createAgentWorld(new LlmAgent({ name: "helper", model: name, ...options }));
    return { world, requests: server.requests };
  }

  it("calls a tool and gets its result", async () => {
    verifies("authentication:model:packaged");
    const cities: unknown[] = [];
    const look = new FunctionTool({
      name: "look",
      description: "Weather of a city.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      execute: (args) => {
        cities.push(args);
        return { weather: "sunny" };
      },
    });
    const call: Said = { kind: "call", name: "look", args: { city: "Paris" } };
    const { world, requests } = await start({ tools: [look], instruction: "Be brief." }, call, text("Sunny."));
    const events = await world.run("Weather in Paris?");
    expect([events.map(({ content }) => textOf(content)).at(-1), cities]).toEqual(["Sunny.", [{ city: "Paris" }]]);
    const [first, second] = requests.map(({ body }) => JSON.stringify(body));
    expect([first?.includes("Weather of a city."), first?.includes("Be brief.")]).toEqual([true, true]);
    expect(second).toContain("sunny");
    expect(events.at(-1)?.usageMetadata).toMatchObject({ promptTokenCount: 5, candidatesTokenCount: 7 });
  });

  it("streams", async () => {
    const { world } = await start({}, text("Paris ", "is ", "sunny."));
    const events = await world.run("Weather?", { streamingMode: StreamingMode.SSE });
    const chunks = events.filter(({ partial }) => partial === true).map(({ content }) => textOf(content));
    expect([chunks.join(""), chunks.length > 1, textOf(events.at(-1)?.content)]).toEqual([
      "Paris is sunny.",
      true,
      "Paris is sunny.",
    ]);
  });

  it("sees an image", async () => {
    const { world, requests } = await start({}, text("A dot."));
    const image = { inlineData: { mimeType: "image/png", data: IMAGE } };
    const events = await world.run({ role: "user", parts: [{ text: "What is it?" }, image] });
    expect([textOf(events.at(-1)?.content), JSON.stringify(requests[0]?.body).includes(IMAGE)]).toEqual([
      "A dot.",
      true,
    ]);
  });

  it("gives a structured answer", async () => {
    const outputSchema = {
      type: "object",
      properties: { city: { type: "string" }, degrees: { type: "integer" } },
      required: ["city", "degrees"],
      additionalProperties: false,
    };
    const answer = { city: "Paris", degrees: 21 };
    const { world, requests } = await start({ outputSchema, outputKey: "weather" }, text(JSON.stringify(answer)));
    await world.run("Weather?");
    expect((await world.session()).state["weather"]).toEqual(answer);
    expect(JSON.stringify(requests[0]?.body)).toContain("degrees");
  });
});

it("is found by its provider's name", () => {
  for (const { name } of PROVIDERS)
    expect(defaultModelRegistry.resolve(name).model).toBe(name.slice(name.indexOf("/") + 1));
});
