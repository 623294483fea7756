import type { Content } from "../events/content.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";
import type { ContextCacheRequest } from "./context-cache-config.ts";

/** A function that the model may call. `parameters` is a JSON Schema of type object; absent means no arguments. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
  readonly response?: JsonObject;
  /** `NON_BLOCKING`: a live model of Gemini talks on while the call runs. Other models ignore it. */
  readonly behavior?: "BLOCKING" | "NON_BLOCKING";
}

/** `timeout` in ms. A type, so that it counts as JSON. */
export type HttpOptions = {
  readonly timeout?: number;
  /** As in the Gemini API: the delay is in seconds. They count before the `retry` of the model's options. */
  readonly retryOptions?: { readonly attempts?: number; readonly maxDelay?: number };
};

/**
 * Settings of one generation; names as in the Gemini API. Adapters pass on the settings that their model has, and leave
 * out the others with a warning.
 */
export interface GenerateContentConfig {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly candidateCount?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly responseMimeType?: string;
  /** JSON Schema of the answer. */
  readonly responseSchema?: JsonObject;
  readonly responseModalities?: readonly string[];
  readonly safetySettings?: readonly JsonObject[];
  readonly thinkingConfig?: JsonObject;
  readonly toolConfig?: JsonObject;
  /** Tools that run inside the model, such as `{ googleSearch: {} }`. */
  readonly modelTools?: readonly JsonObject[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Address and headers of requests are set by the model's own options only. */
  readonly httpOptions?: HttpOptions;
  readonly [key: string]: JsonValue | undefined;
}

/** The members of a tool that a request uses. */
export interface DeclaredTool {
  readonly name: string;
  getDeclaration(): FunctionDeclaration | undefined;
}

/**
 * A request to a model, under construction: processors, callbacks and plugins change it in place. Contents are shared
 * with the session's history, so replace entries and never change them.
 */
export class LlmRequest<Tool extends DeclaredTool = DeclaredTool> {
  model: string;
  contents: Content[];
  config: GenerateContentConfig;
  /** Set if the start of the prompt should be cached; adapters of models without such caches ignore it. */
  contextCache: ContextCacheRequest | undefined;
  readonly #instructions: string[] = [];
  readonly #tools = new Map<string, Tool>();

  constructor(init: { model: string; contents?: Content[]; config?: GenerateContentConfig }) {
    this.model = init.model;
    this.contents = init.contents ?? [];
    this.config = init.config ?? {};
  }

  /** The same request with another model or other settings. */
  copy(changes: { readonly model?: string; readonly config?: GenerateContentConfig }): LlmRequest<Tool> {
    const { model = this.model, config = this.config } = changes;
    const copy = new LlmRequest<Tool>({ model, contents: this.contents, config });
    copy.contextCache = this.contextCache;
    copy.#instructions.push(...this.#instructions);
    copy.appendTools(...this.#tools.values());
    return copy;
  }

  /** Adds instructions after the present ones. Empty texts are left out. */
  appendInstructions(...instructions: readonly string[]): void {
    for (const instruction of instructions) if (instruction !== "") this.#instructions.push(instruction);
  }

  /** Adds instructions before the present ones, in the given order. Empty texts are left out. */
  prependInstructions(...instructions: readonly string[]): void {
    this.#instructions.unshift(...instructions.filter((instruction) => instruction !== ""));
  }

  /** The instructions in order. */
  get systemInstructions(): readonly string[] {
    return this.#instructions;
  }

  /** The instructions separated by blank lines; empty if there is none. */
  get systemInstruction(): string {
    return this.#instructions.join("\n\n");
  }

  /** A tool of the same name replaces the earlier one. */
  appendTools(...tools: readonly Tool[]): void {
    for (const tool of tools) this.#tools.set(tool.name, tool);
  }

  /** Callable tools by name, in the order in which they were added. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#tools;
  }

  get functionDeclarations(): readonly FunctionDeclaration[] {
    const declarations: FunctionDeclaration[] = [];
    for (const tool of this.#tools.values()) {
      const declaration = tool.getDeclaration();
      if (declaration !== undefined) declarations.push(declaration);
    }
    return declarations;
  }
}
