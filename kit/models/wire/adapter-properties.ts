import { PlatformError } from "#kit/errors/platform-error.ts";
import type { GenerateOptions } from "#kit/models/base-llm.ts";
import type { GenerateContentConfig, LlmRequest } from "#kit/models/llm-request.ts";
import {
  GENERATION_PROPERTIES,
  givenProperties,
  type ModelProperties,
  propertiesOf,
  withProperties,
} from "#kit/models/model-properties.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { ProviderRules } from "./provider-rules.ts";

type KnownSettings = Pick<ProviderRules, "unknownSettings">;

/** The properties of one model object, and the settings of its requests as its provider takes them. */
export class AdapterProperties {
  /** The properties that are in range; undefined if none is given. */
  readonly given: ModelProperties | undefined;
  readonly #owner: string;
  /** A setting is reported once. */
  readonly #reported = new Set<string>();

  /**
   * `owner` names the model in errors, such as `new Gemini`. With the provider's `rules`, if they are known before a
   * call, properties that it does not know are found at once. Throws `INVALID_FIELD` for a property, unless its
   * `validation` leaves it out.
   */
  constructor(owner: string, options: ModelProperties, rules: KnownSettings = { unknownSettings: {} }) {
    this.#owner = owner;
    const properties = propertiesOf(options);
    this.given = properties === undefined || !isOn(properties) ? properties : this.#checked(properties, rules);
  }

  /**
   * The request's settings with the model's properties. What the provider does not know is left out with a warning;
   * throws `CONFIGURATION` if it is one of the model's properties and `validation` does not leave it out.
   */
  settingsOf(
    { config }: Pick<LlmRequest, "config">,
    { unknownSettings }: KnownSettings,
    { logger, validation }: Pick<GenerateOptions, "logger" | "validation">,
  ): GenerateContentConfig {
    const settings = withProperties(config, this.given);
    const rule = withDefaults(validation ?? {}, this.given?.validation ?? {});
    if (rule.enabled === false) return settings;
    let known = settings;
    for (const setting in unknownSettings) {
      if (settings[setting] === undefined) continue;
      const problem = `${setting} ${unknownSettings[setting]}`;
      if (config[setting] === undefined && rule.failFast !== false)
        throw new PlatformError("CONFIGURATION", `${this.#owner}: ${problem}. ${FIX}`);
      const { [setting]: _, ...rest } = known;
      known = rest;
      this.report(setting, `${problem}: it is left out.`, logger);
    }
    return known;
  }

  /** Warns of a setting once. */
  report(setting: string, problem: string, logger: Logger | undefined): void {
    if (this.#reported.size >= MAX_REPORTED || this.#reported.has(setting)) return;
    this.#reported.add(setting);
    const text = `${this.#owner}: ${problem}`;
    if (logger === undefined) process.emitWarning(text, { code: "FAIRLEAD_MODEL_SETTING" });
    else logger.warn({ setting }, text);
  }

  #checked(properties: ModelProperties, { unknownSettings }: KnownSettings): ModelProperties {
    const wrong: Record<string, undefined> = {};
    for (const [name, value] of givenProperties(properties)) {
      const { setting, must, accepts } = GENERATION_PROPERTIES[name];
      const problem = accepts(value) ? unknownSettings[setting] : `must be ${must}, not ${value}`;
      if (problem === undefined) continue;
      if (properties.validation?.failFast !== false)
        throw new PlatformError("INVALID_FIELD", `${this.#owner}: ${name} ${problem}. ${FIX}`, {
          details: { field: name },
        });
      wrong[name] = undefined;
      this.report(name, `${name} ${problem}: it is left out.`, undefined);
    }
    return { ...properties, ...wrong };
  }
}

/** Names of settings can come from a provider's code. */
const MAX_REPORTED = 100;
const FIX = "Change or remove it, or give validation: { failFast: false } to leave it out with a warning.";

function isOn({ validation }: ModelProperties): boolean {
  return validation?.enabled !== false;
}
