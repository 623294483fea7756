import { expect, it } from "vitest";
import { AiSdkModel } from "#kit/models/ai-sdk/ai-sdk-model.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import { DemoModel } from "#kit/models/demo/demo-model.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { operationOf, providerOfAiSdk, providerOfUrl } from "./provider-name.ts";

it.each([
  ["https://api.openai.com/v1", "openai"],
  ["https://eu.api.openai.com/v1", "openai"],
  ["https://mine.openai.azure.com/openai/v1", "azure.ai.openai"],
  ["https://europe-west1-aiplatform.googleapis.com/v1", "gcp.vertex_ai"],
  ["https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1", "aws.bedrock"],
  ["https://api.x.ai/v1", "x_ai"],
  ["https://openrouter.ai/api/v1", "openrouter.ai"],
  ["http://localhost:11434/v1", "localhost"],
  ["https://notapi.x.ai.example/v1", "notapi.x.ai.example"],
  ["no address", "_OTHER"],
])("names the provider behind %s", (url, name) => {
  expect(providerOfUrl(url)).toBe(name);
});

it.each([
  ["google.generative-ai", "gcp.gemini", "generate_content"],
  ["google.vertex.chat", "gcp.vertex_ai", "generate_content"],
  ["amazon-bedrock", "aws.bedrock", "chat"],
  ["azure-openai.chat", "azure.ai.openai", "chat"],
  ["mistral.chat", "mistral_ai", "chat"],
  ["anthropic.messages", "anthropic", "chat"],
  ["fireworks.chat", "fireworks", "chat"],
  ["", "_OTHER", "chat"],
])("names the provider and the operation of the AI SDK's %j", (provider, name, operation) => {
  expect([providerOfAiSdk(provider), operationOf(name)]).toEqual([name, operation]);
});

it("is told by each adapter, by the place that it calls", () => {
  const languageModel = {
    specificationVersion: "v4",
    provider: "groq.chat",
    modelId: "m",
    doGenerate: async () => ({}),
    doStream: async () => ({}),
  };
  const models = [
    new Gemini({ model: "gemini-3.8-flash", apiKey: "k" }),
    new Gemini({ model: "gemini-3.8-flash", vertexAi: { project: "p" } }),
    new Claude({ model: "claude-sonnet-5-5", apiKey: "k" }),
    new OpenAiCompatible({ model: "gpt-5", apiKey: "k", baseUrl: "https://api.openai.com/v1" }),
    new OpenAiCompatible({ model: "llama", baseUrl: "http://127.0.0.1:1/v1" }),
    new AiSdkModel({ languageModel }),
    new DemoModel(),
  ];
  expect(models.map(({ providerName }) => providerName)).toEqual([
    "gcp.gemini",
    "gcp.vertex_ai",
    "anthropic",
    "openai",
    "127.0.0.1",
    "groq",
    "fairlead.demo",
  ]);
});
