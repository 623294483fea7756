import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { modelWith } from "#kit/models/bounds/configured-model.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import { DemoModel } from "#kit/models/demo/demo-model.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { PackagedModel } from "#kit/models/providers/packaged-model.ts";
import { type PackagedProvider, PROVIDER_PACKAGES } from "#kit/models/providers/provider-packages.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { MODEL_NAMES } from "./model-names.ts";

/**
 * Creates the model for a name. The `model` of a definition can have properties: a function with a second parameter gives them
 * to the model; for any other they are set on each request in place of the model's own.
 */
export type ModelFactory = (name: string, properties?: ModelProperties) => BaseLlm;

interface Entry {
  /** A name that it is for, or the form of such names; absent for a pattern that is registered without one. */
  readonly example: string | undefined;
  /** The name for `create`, or undefined if the entry is for other names. */
  readonly match: (name: string) => string | undefined;
  readonly create: ModelFactory;
}

/** Finds the model for a name, for agents in code and for the `model` of definitions in YAML. */
export class ModelRegistry {
  readonly #entries: Entry[] = [];
  readonly #models = new Map<string, BaseLlm>();

  /**
   * Registers a model object, or a function that creates models at their first use. `names` is one of:
   *
   * - a name, such as `"house-model"`;
   * - a prefix that ends with `/`, such as `"local/"`: the function gets the name without the prefix;
   * - a pattern: the function gets the whole name. `example` is a name that it matches, for errors about other names.
   *
   * Of several registrations that match, the newest is used. Throws `INVALID_FIELD` if an argument is none of these.
   */
  register(names: string | RegExp, model: BaseLlm | ModelFactory, example?: string): this {
    const create = factoryOf(model);
    this.#entries.unshift({ ...matcherOf(names, example), create });
    this.#models.clear();
    return this;
  }

  /**
   * One instance per name and properties, created at its first use. Throws `MODEL_NOT_FOUND`, and
   * `INVALID_FIELD` for properties that the model does not know; never for a missing key: models look up the key when
   * called.
   */
  resolve(name: string, properties?: ModelProperties): BaseLlm {
    const key = properties === undefined ? name : JSON.stringify([name, properties]);
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const model = this.#create(name, properties);
    this.#models.set(key, model);
    return model;
  }

  #create(name: string, properties: ModelProperties | undefined): BaseLlm {
    for (const { match, create } of this.#entries) {
      const own = match(name);
      if (own === undefined) continue;
      if (properties === undefined || create.length > 1) return create(own, properties);
      return modelWith(create(own), properties);
    }
    const examples = this.#entries.flatMap(({ example }) => example ?? []);
    const candidates = [...examples, ...Object.values(MODEL_NAMES)].filter((candidate) =>
      this.#entries.some(({ match }) => !candidate.endsWith("…") && match(candidate) !== undefined),
    );
    const hint = suggestion(name, candidates) || ".";
    const known = examples.length === 0 ? "" : ` Examples of names: ${examples.join(", ")}.`;
    throw new PlatformError("MODEL_NOT_FOUND", `No model is registered for "${name}"${hint}${known}`, {
      details: { model: name },
    });
  }
}

function matcherOf(names: string | RegExp, example: string | undefined): Pick<Entry, "example" | "match"> {
  if (names instanceof RegExp) {
    // `search` ignores the state that a global or sticky pattern keeps between calls.
    return { example, match: (name) => (name.search(names) === -1 ? undefined : name) };
  }
  if (typeof names !== "string" || names.trim() === "" || names === "/")
    throw invalid("names", "must be a name, a prefix that ends with / or a regular expression");
  if (!names.endsWith("/")) return { example: names, match: (name) => (name === names ? name : undefined) };
  const isBelow = (name: string): boolean => name.startsWith(names) && name.length > names.length;
  return { example: example ?? `${names}…`, match: (name) => (isBelow(name) ? name.slice(names.length) : undefined) };
}

function factoryOf(model: BaseLlm | ModelFactory): ModelFactory {
  if (typeof model === "function") return model;
  if (typeof model?.generateContentAsync !== "function")
    throw invalid("model", "must be a model object or a function that creates one from a name");
  return () => model;
}

function invalid(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `register: ${field} ${problem}.`, { details: { field } });
}

/** Removes a provider's prefix: `openai/gpt-6.1-sol` is `gpt-6.1-sol` for its provider. */
const withoutPrefix = (name: string, prefix: string): string =>
  name.startsWith(prefix) ? name.slice(prefix.length) : name;

/** A registry with the models of the kit. */
export function createModelRegistry(): ModelRegistry {
  const registry = new ModelRegistry();
  for (const provider of Object.keys(PROVIDER_PACKAGES) as readonly PackagedProvider[])
    registry.register(`${provider}/`, (model, properties) => new PackagedModel({ ...properties, provider, model }));
  return registry
    .register("gemini/", (model, properties) => new Gemini({ model, ...properties }))
    .register(/^demo\/./, (name) => new DemoModel({ model: name }), "demo/chat")
    .register(
      /^(anthropic\/|claude-)./,
      (name, properties) => new Claude({ model: withoutPrefix(name, "anthropic/"), ...properties }),
      MODEL_NAMES.claude,
    )
    .register(
      "openai-responses/",
      (model, properties) => new OpenAiCompatible({ model, api: "responses", ...properties }),
    )
    .register(
      /^(openai\/.|gpt-.|o[134](-|$))/,
      (name, properties) => new OpenAiCompatible({ model: withoutPrefix(name, "openai/"), ...properties }),
      MODEL_NAMES.openAi,
    )
    .register(
      /^(models\/)?gemini-./,
      (name, properties) => new Gemini({ model: withoutPrefix(name, "models/"), ...properties }),
      MODEL_NAMES.gemini,
    );
}

/** The registry in which agents look up model names. */
export const defaultModelRegistry = createModelRegistry();
