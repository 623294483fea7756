import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { textOf } from "#kit/events/content.ts";
import type { FunctionDeclaration, GenerateContentConfig, LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { ProviderRules } from "./provider-rules.ts";
import { isClosed, isStrict } from "./schemas/closed-schema.ts";
import { argumentsForm, objectForm, type SchemaForm, typedForm } from "./schemas/schema-form.ts";
import { callsWithoutThoughts, withMarkedThoughts } from "./thoughts.ts";
import { type CallForms, wireContents, wirePartOf } from "./wire-contents.ts";
import { ToolNames } from "./wire-names.ts";
import type { WireRequest } from "./wire-request.ts";

/** One request in the form that a provider takes, and the way back for its answers. The last step before the wire. */
export class ProviderForm {
  readonly request: WireRequest;
  readonly #rules: ProviderRules;
  readonly #names: ToolNames;
  readonly #calls: CallForms;
  readonly #arguments = new Map<string, SchemaForm>();
  readonly #output: SchemaForm | undefined;

  constructor(request: LlmRequest, rules: ProviderRules, config: GenerateContentConfig = request.config) {
    const { functionDeclarations } = request;
    this.#rules = rules;
    this.#names = new ToolNames(
      functionDeclarations.map(({ name }) => name),
      rules.toolName,
    );
    this.#output = outputForm(config, rules);
    const declarations = functionDeclarations.map((declaration) => this.#declaration(declaration));
    this.#calls = {
      names: this.#names,
      toWireArguments: (tool, args) => objectOf(this.#arguments.get(tool)?.toWire(args), args),
    };
    const contents = wireContents(request.contents, rules, this.#calls);
    const { model, systemInstruction, contextCache } = request;
    this.request = {
      ...{ model, contents, contextCache, functionDeclarations: declarations },
      ...this.#settings(systemInstruction, config, contents),
    };
  }

  /** Contents that follow the request on a live connection, in the provider's form. */
  added(contents: readonly Content[]): readonly Content[] {
    return wirePartOf(contents, this.#rules, this.#calls);
  }

  /** The answer with the names of the request. */
  restore(response: LlmResponse): LlmResponse {
    const { content } = response;
    if (content?.parts === undefined) return response;
    const named = content.parts.some(({ functionCall }) => functionCall !== undefined)
      ? { ...content, parts: content.parts.map((part) => this.#restoredCall(part, response.partial === true)) }
      : content;
    const said = this.#output === undefined ? named : restoredOutput(named, this.#output, response);
    const restored = said === content ? response : { ...response, content: said };
    return response.partial === true ? restored : withMarkedThoughts(restored, this.#rules.thoughtsOf);
  }

  #declaration(declaration: FunctionDeclaration): FunctionDeclaration {
    const { name, description, parameters, response, ...others } = declaration;
    const form = parameters === undefined ? undefined : argumentsForm(parameters, this.#rules.parameters);
    if (form?.isRenamed === true) this.#arguments.set(name, form);
    const described = [description ?? "", ...(form?.notes ?? [])].filter((text) => text !== "").join("\n\n");
    return {
      ...others,
      name: this.#names.toWire(name),
      description: described !== "" ? described : undefined,
      parameters: form?.schema,
      response: response && typedForm(response, this.#rules.parameters).schema,
    };
  }

  #settings(
    systemInstruction: string,
    source: GenerateContentConfig,
    contents: readonly Content[],
  ): Pick<WireRequest, "systemInstruction" | "config" | "strictOutput"> {
    const { responseSchema, responseMimeType, toolConfig, thinkingConfig, ...config } = source;
    const schema = this.#output?.schema;
    const isDescribed = schema !== undefined && this.#rules.output.closed && !isClosed(schema);
    if (this.#rules.forcesToolsWithoutThinking) refuseForcedThinking(source);
    const thinks = !(this.#rules.callsBeginWithThoughts && hasBudget(thinkingConfig) && callsWithoutThoughts(contents));
    return {
      systemInstruction: isDescribed
        ? [systemInstruction, answerInstruction(schema)].filter(Boolean).join("\n\n")
        : systemInstruction,
      config: {
        ...config,
        thinkingConfig: thinkingConfig !== undefined && thinks ? thinkingConfig : undefined,
        toolConfig: toolConfig && this.#namedTools(toolConfig),
        responseMimeType: responseMimeType !== undefined && !isDescribed ? responseMimeType : undefined,
        responseSchema: schema !== undefined && !isDescribed ? schema : undefined,
      },
      strictOutput: schema !== undefined && isStrict(schema),
    };
  }

  #namedTools(toolConfig: JsonObject): JsonObject {
    const calling = toolConfig["functionCallingConfig"];
    const names = isJsonObject(calling) ? calling["allowedFunctionNames"] : undefined;
    if (!isJsonObject(calling) || !Array.isArray(names)) return toolConfig;
    const allowedFunctionNames = names.map((name) => (typeof name === "string" ? this.#names.toWire(name) : name));
    return { ...toolConfig, functionCallingConfig: { ...calling, allowedFunctionNames } };
  }

  #restoredCall(part: Part, isPartial: boolean): Part {
    const { functionCall } = part;
    if (functionCall === undefined) return part;
    const name = functionCall.name === undefined ? undefined : this.#names.fromWire(functionCall.name);
    const form = this.#arguments.get(name ?? "");
    const { args } = functionCall;
    if (name === functionCall.name && (form === undefined || args === undefined || isPartial)) return part;
    return {
      ...part,
      functionCall: {
        ...functionCall,
        ...(name !== undefined && { name }),
        ...(form !== undefined && args !== undefined && { args: objectOf(form.fromWire(args), args) }),
      },
    };
  }
}

function outputForm({ responseSchema }: GenerateContentConfig, { output }: ProviderRules): SchemaForm | undefined {
  if (responseSchema === undefined) return undefined;
  return output.root === "object" ? objectForm(responseSchema, output) : typedForm(responseSchema, output);
}

/** For schemas that the provider cannot hold the model to. The kit checks the answer, and asks again. */
function answerInstruction(schema: JsonObject): string {
  return `Give your final answer as JSON without any other text. It has to match this JSON Schema: ${JSON.stringify(schema)}`;
}

/** Text of an answer in another form than its schema's cannot be shown before it is complete. */
function restoredOutput(content: Content, form: SchemaForm, { partial, errorCode }: LlmResponse): Content {
  if (!form.isWrapped && !form.isRenamed) return content;
  const parts = content.parts ?? [];
  if (partial === true)
    return { ...content, parts: parts.filter((part) => part.text === undefined || part.thought === true) };
  const value = errorCode === undefined ? parsed(textOf(content)) : undefined;
  if (value === undefined) return content;
  const text = JSON.stringify(form.fromWire(value));
  const first = parts.find(isSaid);
  return { ...content, parts: parts.flatMap((part) => wholeText(part, part === first, text)) };
}

/** The first text holds the whole answer. */
function wholeText(part: Part, isFirst: boolean, text: string): readonly Part[] {
  if (!isSaid(part)) return [part];
  return isFirst ? [{ ...part, text }] : [];
}

function isSaid({ text, thought }: Part): boolean {
  return text !== undefined && thought !== true;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text.trim().replace(/^```(?:json)?\n([\s\S]*)\n```$/i, "$1"));
  } catch {
    return undefined;
  }
}

/** An error that names both settings, in place of the provider's refusal that names neither of the kit's words. */
function refuseForcedThinking({ thinkingConfig, toolConfig }: GenerateContentConfig): void {
  const calling = toolConfig?.["functionCallingConfig"];
  const budget = thinkingConfig?.["thinkingBudget"];
  if (!isJsonObject(calling) || calling["mode"] !== "ANY" || typeof budget !== "number" || budget === 0) return;
  throw new PlatformError(
    "MODEL_BAD_REQUEST",
    "generateContentConfig: this model takes either a thinkingConfig with a budget or a toolConfig with mode ANY, not both.",
  );
}

function hasBudget(thinkingConfig: JsonObject | undefined): boolean {
  const budget = thinkingConfig?.["thinkingBudget"];
  return typeof budget === "number" && budget > 0;
}

function objectOf(value: JsonValue | undefined, otherwise: JsonObject): JsonObject {
  return isJsonObject(value) ? value : otherwise;
}
