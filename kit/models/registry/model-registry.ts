import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { ClaudeModel } from "#kit/models/claude/claude.ts";
import { DemoModel } from "#kit/models/demo/demo-model.ts";
import { GeminiModel } from "#kit/models/gemini/gemini.ts";
import { OpenAiCompatibleModel } from "#kit/models/openai/openai-compatible.ts";

interface Entry {
  readonly pattern: RegExp;
  readonly create: (name: string) => BaseLlm;
}

/** Finds the model for a name. */
export class ModelRegistry {
  readonly #entries: Entry[] = [];
  readonly #models = new Map<string, BaseLlm>();

  /**
   * Models whose name matches `pattern` are created by `create`; of several patterns that match, the newest is used.
   */
  register(pattern: RegExp, create: (name: string) => BaseLlm): this {
    this.#entries.unshift({ pattern, create });
    this.#models.clear();
    return this;
  }

  /**
   * One instance per name, created at its first use. Throws `MODEL_NOT_FOUND`, never for a missing key: models look up
   * the key when called.
   */
  resolve(name: string): BaseLlm {
    const known = this.#models.get(name);
    if (known !== undefined) return known;
    // `search` ignores the state that a global or sticky pattern keeps between calls.
    const entry = this.#entries.find(({ pattern }) => name.search(pattern) !== -1);
    if (entry === undefined) throw this.#notFound(name);
    const model = entry.create(name);
    this.#models.set(name, model);
    return model;
  }

  #notFound(name: string): PlatformError {
    const patterns = this.#entries.map(({ pattern }) => pattern.source).join(", ");
    return new PlatformError("MODEL_NOT_FOUND", `No model is registered for "${name}". Known patterns: ${patterns}.`, {
      details: { model: name },
    });
  }
}

/** Removes a provider's prefix: `openai/gpt-5` is `gpt-5` for its provider. */
const withoutPrefix = (name: string, prefix: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

/** A registry with the models of the kit. */
export function createModelRegistry(): ModelRegistry {
  return new ModelRegistry()
    .register(/^demo\/./, (name) => new DemoModel(name))
    .register(/^(anthropic\/|claude-)./, (name) => new ClaudeModel(withoutPrefix(name, "anthropic/")))
    .register(/^(openai\/.|gpt-.|o[134](-|$))/, (name) => new OpenAiCompatibleModel(withoutPrefix(name, "openai/")))
    .register(/^(models\/)?gemini-./, (name) => new GeminiModel(withoutPrefix(name, "models/")));
}

/** The registry in which agents look up model names. */
export const defaultModelRegistry = createModelRegistry();
