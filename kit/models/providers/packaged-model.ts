import { findPackageJSON } from "node:module";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { AiSdkModel } from "#kit/models/ai-sdk/ai-sdk-model.ts";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import { providerFetch } from "#kit/models/bounds/provider-fetch.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { ClientCache, findSetting, keyMissing, type ModelOptions } from "#kit/models/model-options.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import { AdapterProperties } from "#kit/models/wire/adapter-properties.ts";
import { aiSdkRules } from "#kit/models/wire/provider-rules.ts";
import { howToInstall } from "#kit/optional-packages/optional-package.ts";
import { present } from "#kit/platform/members.ts";
import { providerOfAiSdk } from "#kit/telemetry/provider-name.ts";
import {
  type CreateProvider,
  type PackagedProvider,
  PROVIDER_PACKAGES,
  type ProviderPackage,
} from "./provider-packages.ts";

/** Options of a model by the name of its provider. */
export interface PackagedModelOptions
  extends ModelProperties,
    Pick<ModelOptions, "model" | "credentials" | "retry" | "sleep"> {
  readonly provider: PackagedProvider;
}

/**
 * A model of a provider whose package of the AI SDK is installed beside this one. Keys and addresses are variables of the
 * environment, looked up for each request; the package is loaded at the first one. The constructor throws `INVALID_FIELD`,
 * a call `PACKAGE_MISSING` and `MODEL_KEY_MISSING`.
 */
export class PackagedModel implements BaseLlm {
  readonly model: string;
  readonly providerName: string;
  readonly properties: ModelProperties | undefined;
  readonly #options: PackagedModelOptions;
  readonly #package: ProviderPackage;
  readonly #models: ClientCache<Readonly<Record<string, string>>, AiSdkModel>;

  constructor(options: PackagedModelOptions, from: ProviderPackage = PROVIDER_PACKAGES[options.provider]) {
    const { provider, model } = options;
    this.model = model;
    this.providerName = providerOfAiSdk(provider);
    this.#package = from;
    this.#options = options;
    this.properties = new AdapterProperties(`${provider}/${model}`, options, aiSdkRules(provider, model)).given;
    this.#models = new ClientCache((settings) => this.#create(settings));
  }

  assertConfigured(): void {
    const { package: name } = this.#package;
    if (!isInstalled(name)) throw this.#packageMissing();
    this.#settings();
  }

  async *generateContentAsync(request: LlmRequest, options: GenerateOptions): AsyncGenerator<LlmResponse> {
    const model = await this.#models.get(this.#settings());
    yield* model.generateContentAsync(request, options);
  }

  #settings(): Readonly<Record<string, string>> {
    const { settings, keys } = this.#package;
    const find = (variable: string): string | undefined => findSetting(undefined, this.#options, variable);
    const isComplete =
      keys.length === 0 || keys.some((variables) => variables.every((name) => find(name) !== undefined));
    if (!isComplete) {
      const sets = keys.map((variables) => variables.join(" and "));
      throw keyMissing(this.#options, this.#options.provider, `${sets.join(", or ")}.`);
    }
    return present(
      Object.fromEntries(settings.map(({ option, variable, fallback }) => [option, find(variable) ?? fallback])),
    );
  }

  async #create(settings: Readonly<Record<string, string>>): Promise<AiSdkModel> {
    const create = await this.#load();
    if (typeof create !== "function") throw this.#packageMissing("for AI SDK 7");
    // The package's major version, which the error above names, has this function.
    const languageModel = (create as CreateProvider)({ ...settings, fetch: providerFetch })(this.model);
    const { provider: _, model: __, credentials: ___, ...own } = this.#options;
    return new AiSdkModel({ ...own, languageModel });
  }

  async #load(): Promise<unknown> {
    const { package: name, load } = this.#package;
    try {
      return await load();
    } catch (error) {
      if (isInstalled(name)) throw error;
      throw this.#packageMissing();
    }
  }

  #packageMissing(problem?: string): PlatformError {
    const { package: name } = this.#package;
    const { provider } = this.#options;
    const what = problem === undefined ? `need the package ${name}` : `need another version of ${name}, ${problem}`;
    return new PlatformError("PACKAGE_MISSING", `Models of ${provider} ${what}. ${howToInstall(name)}`, {
      details: { package: name },
    });
  }
}

function isInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}
