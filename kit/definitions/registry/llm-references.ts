import type { BasePlanner } from "#kit/core/base-planner.ts";
import type { CodeExecutor } from "#kit/core/code-executor.ts";
import { ConcurrencyLimit, type Executor } from "#kit/core/executor.ts";
import type { InstanceRef, LlmAgentConfig } from "#kit/definitions/yaml/agent-config.ts";
import { readModelConfig } from "#kit/definitions/yaml/model-config-fields.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type JsonSchemaSource, toSchema } from "#kit/schema/schema.ts";
import { assertLinearPatterns } from "#kit/schema/schema-patterns.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { AgentParts } from "./component-registry.ts";

/** The components that an LLM agent uses. */
export interface LlmReferences {
  readonly model?: BaseLlm | string;
  readonly planner?: BasePlanner;
  readonly codeExecutor?: CodeExecutor;
  readonly executor?: Executor;
  readonly inputSchema?: JsonSchemaSource;
  readonly outputSchema?: JsonSchemaSource;
}

/** Finds the components that the fields refer to, and reports missing ones. */
export function llmReferences(config: Partial<LlmAgentConfig>, parts: AgentParts): LlmReferences {
  const find = <Kind>(field: ReferenceField, is: (value: object) => value is object & Kind): Kind | undefined =>
    instanceOf(config[field], { field, is, parts });
  const named = namedModel(config, parts);
  for (const name of config.fallbackModels ?? [])
    attempt("fallbackModels", parts, () => defaultModelRegistry.resolve(name));
  const model = find("modelCode", isModel) ?? named;
  const planner = find("planner", isPlanner);
  const codeExecutor = find("codeExecutor", isCodeExecutor);
  const { maxConcurrent } = config.executor ?? {};
  const executor = maxConcurrent === undefined ? find("executor", isExecutor) : new ConcurrencyLimit(maxConcurrent);
  const inputSchema = schemaOf("inputSchema", config, parts);
  const outputSchema = schemaOf("outputSchema", config, parts);
  return {
    model,
    planner,
    codeExecutor,
    executor,
    inputSchema,
    outputSchema,
  };
}

type ReferenceField = "modelCode" | "planner" | "codeExecutor" | "executor";

const KINDS: Readonly<Record<ReferenceField, string>> = {
  modelCode: "model",
  planner: "planner",
  codeExecutor: "code executor",
  executor: "executor",
};

interface Lookup<Kind> {
  readonly field: ReferenceField;
  readonly is: (value: object) => value is object & Kind;
  readonly parts: AgentParts;
}

function instanceOf<Kind>(ref: Partial<InstanceRef> | undefined, { field, is, parts }: Lookup<Kind>): Kind | undefined {
  if (ref?.name === undefined) return undefined;
  const found = parts.instances.get(ref.name);
  if (typeof found === "object" && found !== null && is(found)) return found;
  const kind = KINDS[field];
  if (found !== undefined)
    parts.refuse(field, `"${ref.name}" is registered, and is not ${kind === "executor" ? "an" : "a"} ${kind}.`);
  else
    parts.refuse(
      field,
      `No ${kind} "${ref.name}" is registered${suggestion(ref.name, parts.instances.names()) || "."}`,
    );
  return undefined;
}

/** An unknown name is reported to the file's author immediately, and not to the first user. */
function namedModel(config: Partial<LlmAgentConfig>, parts: AgentParts): BaseLlm | string | undefined {
  const { model, modelCode } = config;
  if (model === undefined) return undefined;
  if (modelCode !== undefined) {
    parts.refuse("modelCode", 'Give either "model" or "modelCode", not both.');
    return undefined;
  }
  if (typeof model === "string") {
    attempt("model", parts, () => defaultModelRegistry.resolve(model));
    return model;
  }
  const read = readModelConfig(config, parts.read);
  if (read === undefined) return undefined;
  const { provider, api, model: name, ...properties } = read;
  const full = fullName(name, api === "responses" ? "openai-responses" : provider);
  return attempt("model", parts, () => defaultModelRegistry.resolve(full, properties));
}

/** The schema as written, or the registered one if it contains only a `name`. */
function schemaOf(
  field: "inputSchema" | "outputSchema",
  config: Partial<LlmAgentConfig>,
  parts: AgentParts,
): JsonSchemaSource | undefined {
  const schema: JsonObject | undefined = config[field];
  if (schema === undefined) return undefined;
  const { name, ...rest } = schema;
  if (typeof name !== "string" || Object.keys(rest).length > 0) {
    attempt(field, parts, () => assertLinearPatterns(schema));
    return toSchema(schema);
  }
  const found = parts.instances.get(name);
  if (typeof found === "object" && found !== null) {
    attempt(field, parts, () => toSchema(found));
    return found;
  }
  const hint = suggestion(name, parts.instances.names()) || ".";
  parts.refuse(field, `No schema "${name}" is registered${hint}`);
  return undefined;
}

function attempt<Value>(field: string, parts: AgentParts, use: () => Value): Value | undefined {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    parts.refuse(field, error.message);
    return undefined;
  }
}

function isModel(value: object): value is BaseLlm {
  return "generateContentAsync" in value && "model" in value;
}

function isPlanner(value: object): value is BasePlanner {
  return "buildPlanningInstruction" in value;
}

function isCodeExecutor(value: object): value is CodeExecutor {
  return "kind" in value && (value.kind === "blocks" || value.kind === "model");
}

function isExecutor(value: object): value is Executor {
  return "execute" in value && typeof value.execute === "function";
}

/** The name in the registry of models. */
function fullName(name: string, provider: string | undefined): string {
  if (provider === undefined) return name;
  // The prefix that chat completions have.
  const own = provider === "openai-responses" && name.startsWith("openai/") ? name.slice("openai/".length) : name;
  return `${provider}/${own}`;
}
