import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import {
  claudeSchemaFaults,
  geminiSchemaFaults,
  openAiOutputFaults,
  openAiSchemaFaults,
} from "#test/helpers/providers/schema-checks.ts";
import type { Refusal } from "./dialect.ts";

interface DeclaredTool {
  readonly name: JsonValue | undefined;
  readonly parameters: JsonValue | undefined;
}

type Faults = (schema: JsonObject) => readonly string[];

/** What a provider of this protocol refuses of the tools and the schema of the answer in a request. */
export function toolRefusal(protocol: "openai" | "claude" | "gemini", body: JsonObject): Refusal | undefined {
  const { names, faults, tools, answer, answerFaults } = READERS[protocol];
  for (const [index, { name, parameters }] of tools(body).entries()) {
    if (typeof name !== "string" || !names.test(name)) return refusal(`tools.${index}.name: ${String(name)}`);
    const [fault] = isJsonObject(parameters) ? faults(parameters) : [];
    if (fault !== undefined) return refusal(`tools.${index} (${name}): ${fault}`);
  }
  const schema = answer(body);
  const [fault] = isJsonObject(schema) ? answerFaults(schema, body) : [];
  return fault === undefined ? undefined : refusal(`the schema of the answer: ${fault}`);
}

interface Reader {
  readonly names: RegExp;
  readonly faults: Faults;
  readonly tools: (body: JsonObject) => readonly DeclaredTool[];
  readonly answer: (body: JsonObject) => JsonValue | undefined;
  readonly answerFaults: (schema: JsonObject, body: JsonObject) => readonly string[];
}

const READERS: Readonly<Record<"openai" | "claude" | "gemini", Reader>> = {
  openai: {
    names: /^[a-zA-Z0-9_-]{1,64}$/,
    faults: openAiSchemaFaults,
    tools: ({ tools }) => objectsOf(tools).map((tool) => declared(tool["function"])),
    answer: ({ response_format: format }) => memberOf(memberOf(format, "json_schema"), "schema"),
    answerFaults: (schema, { response_format: format }) =>
      openAiOutputFaults(schema, memberOf(memberOf(format, "json_schema"), "strict") === true),
  },
  claude: {
    names: /^[a-zA-Z0-9_-]{1,128}$/,
    faults: claudeSchemaFaults,
    tools: ({ tools }) => objectsOf(tools).map((tool) => ({ name: tool["name"], parameters: tool["input_schema"] })),
    answer: () => undefined,
    answerFaults: () => [],
  },
  gemini: {
    names: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
    faults: geminiSchemaFaults,
    tools: ({ tools }) =>
      objectsOf(tools)
        .flatMap((tool) => objectsOf(tool["functionDeclarations"]))
        .map(({ name, parametersJsonSchema }) => ({ name, parameters: parametersJsonSchema })),
    answer: ({ generationConfig: config }) => memberOf(config, "responseJsonSchema"),
    answerFaults: geminiSchemaFaults,
  },
};

function declared(value: JsonValue | undefined): DeclaredTool {
  return { name: memberOf(value, "name"), parameters: memberOf(value, "parameters") };
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function refusal(message: string): Refusal {
  return { status: 400, message };
}
