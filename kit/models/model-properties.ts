import { flag, type OptionRule, type OptionRules, record } from "../schema/check-options.ts";
import type { GenerateContentConfig } from "./llm-request.ts";

/** Controls what telemetry records of a model's calls. */
export interface ModelObservability {
  /** False: the calls have no spans and count in no metric of model calls; true by default. */
  readonly enabled?: boolean | undefined;
  /** Prompts and answers on spans. By default what the server's `TRACE_CONTENT`, or the runner's `captureContent`, says. */
  readonly includeContent?: boolean | undefined;
  /** False: the calls have spans, and count in no metric of model calls; true by default. */
  readonly metricsEnabled?: boolean | undefined;
}

/** Controls the check for properties that are out of range, or that the provider or the model does not know. */
export interface ModelValidation {
  /** False: nothing is checked, and everything is sent as it is given; true by default. */
  readonly enabled?: boolean | undefined;
  /** True, the default: such a property is refused. False: it is left out, with a warning. */
  readonly failFast?: boolean | undefined;
}

/**
 * The properties of a model beside its name: defaults for the settings of each request, and how its calls are observed
 * and checked. A setting of a request (`generateContentConfig` of an agent) comes before the model's property, and that
 * before the process's (`MODEL_TEMPERATURE` and its like).
 */
export interface ModelProperties {
  /** The most tokens of an answer, from 1. */
  readonly maxTokens?: number | undefined;
  /** Randomness of answers, from 0 to 2. */
  readonly temperature?: number | undefined;
  /** Tokens are sampled from this many of the most probable ones, from 1. */
  readonly topK?: number | undefined;
  /** Tokens are sampled from the most probable ones with this total probability, from 0 to 1. */
  readonly topP?: number | undefined;
  readonly observability?: ModelObservability | undefined;
  readonly validation?: ModelValidation | undefined;
}

/** The properties that are settings of a request. */
export type GenerationProperty = "maxTokens" | "temperature" | "topK" | "topP";

interface GenerationRule {
  /** The setting's name in requests. */
  readonly setting: keyof GenerateContentConfig & string;
  /** Completes the sentence "`name` must be …". */
  readonly must: string;
  readonly accepts: (value: number) => boolean;
}

const between = (minimum: number, maximum: number) => (value: number) => value >= minimum && value <= maximum;
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

/** The settings of requests that properties give, with the values that any provider may take. */
export const GENERATION_PROPERTIES: Readonly<Record<GenerationProperty, GenerationRule>> = {
  maxTokens: { setting: "maxOutputTokens", must: "an integer of at least 1", accepts: isCount },
  temperature: { setting: "temperature", must: "a number from 0 to 2", accepts: between(0, 2) },
  topK: { setting: "topK", must: "an integer of at least 1", accepts: isCount },
  topP: { setting: "topP", must: "a number from 0 to 1", accepts: between(0, 1) },
};

const NAMES = Object.keys(GENERATION_PROPERTIES) as readonly GenerationProperty[];

const finite: OptionRule = {
  must: "a number",
  accepts: (value) => typeof value === "number" && Number.isFinite(value),
};

/** The rules of the properties among the options of a model; their ranges are checked as `validation` says. */
export const MODEL_PROPERTY_RULES: OptionRules<ModelProperties> = {
  maxTokens: finite,
  temperature: finite,
  topK: finite,
  topP: finite,
  observability: record<ModelObservability>({ enabled: flag, includeContent: flag, metricsEnabled: flag }),
  validation: record<ModelValidation>({ enabled: flag, failFast: flag }),
};

/** The properties among options that `MODEL_PROPERTY_RULES` accept; undefined if there is none. */
export function propertiesOf(options: ModelProperties): ModelProperties | undefined {
  const { maxTokens, temperature, topK, topP, observability, validation } = options;
  const properties: ModelProperties = { maxTokens, temperature, topK, topP, observability, validation };
  return Object.values(properties).some((value) => value !== undefined) ? properties : undefined;
}

/** The generation properties that are given, with the names of their settings. */
export function givenProperties(properties: ModelProperties): readonly (readonly [GenerationProperty, number])[] {
  return NAMES.flatMap((name) => {
    const value = properties[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

/**
 * The settings of a request, with properties in place of those that it lacks: `own` before `others`. Returns the config
 * itself if nothing is added.
 */
export function withProperties(
  config: GenerateContentConfig,
  own: ModelProperties | undefined,
  others?: ModelProperties,
): GenerateContentConfig {
  // Most models have none, and each call of a model asks.
  if (own === undefined && others === undefined) return config;
  const added: Record<string, number> = {};
  for (const name of NAMES) {
    const { setting } = GENERATION_PROPERTIES[name];
    if (config[setting] !== undefined) continue;
    const value = own?.[name] ?? others?.[name];
    if (value !== undefined) added[setting] = value;
  }
  return Object.keys(added).length === 0 ? config : { ...config, ...added };
}
