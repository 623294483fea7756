import type { GenerateContentConfig } from "#kit/models/llm-request.ts";
import type { ModelObservability, ModelValidation } from "#kit/models/model-properties.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { type Shape, type ShapeMembers, Type, withRules } from "#kit/schema/shape.ts";
import type { ModelConfig } from "./agent-config.ts";
import {
  flag,
  freeMap,
  integer,
  listOf,
  number,
  oneOf,
  publishedSchema,
  record,
  text,
  textMap,
} from "./config-shapes.ts";

// No field below can choose addresses, headers or credentials of requests: otherwise an author of a definition could
// send the prompts and the keys of the process elsewhere.
const OPERATOR_ONLY =
  "Addresses, headers and credentials are never taken from a definition: set them where the server is started (OPENAI_BASE_URL and its like), or in code where the model is made.";

const observability = record<ModelObservability>(
  "What telemetry records of the model's calls.",
  Type.Partial({
    enabled: flag("False: no spans and no metrics."),
    includeContent: flag("False: prompts and answers are never on spans."),
    metricsEnabled: flag("False: no metrics."),
  }),
  {
    check: ({ includeContent }) =>
      includeContent === true
        ? {
            field: "includeContent",
            message: "A definition cannot put content on spans: set TRACE_CONTENT where the server is started.",
          }
        : undefined,
  },
);

const validation = record<ModelValidation>(
  "What happens to properties that the model does not know.",
  Type.Partial({
    enabled: flag("False: nothing is checked."),
    failFast: flag("False: such a property is left out with a warning; true, the default: it is refused."),
  }),
);

const MODEL_CONFIG_FIELDS = record<ModelConfig>(
  "A model with properties.",
  {
    model: text("Name of a model."),
    ...Type.Partial({
      provider: text(
        "The model's provider: azure, bedrock, groq, mistral, ollama, gemini, anthropic, openai or a registered prefix.",
      ),
      api: oneOf(
        ["chat", "responses"] as const,
        "The API of OpenAI that is called: chat completions, the default, or responses.",
      ),
      maxTokens: integer("The most tokens of an answer.", 1),
      temperature: number("Randomness of answers, from 0 to 2."),
      topK: integer("Tokens are sampled from this many of the most probable ones.", 1),
      topP: number("Tokens are sampled from the most probable ones with this total probability, from 0 to 1."),
      observability,
      validation,
    }),
  },
  {
    whyOnlyThese: OPERATOR_ONLY,
    check: ({ api, provider = "openai" }) =>
      api !== undefined && provider !== "openai"
        ? {
            field: "api",
            message: `Only models of openai have a choice of APIs: remove "api", or the provider ${provider}.`,
          }
        : undefined,
  },
);

/** The `model` of a definition: a name, or a map that `readModelConfig` reads. */
export const MODEL_FIELD: Shape<string | ModelConfig> = Type.Custom(
  {
    anyOf: [
      text("Name of a model; the model of the nearest ancestor by default."),
      Type.As<ModelConfig>(publishedSchema(MODEL_CONFIG_FIELDS)),
    ],
  },
  readModelField,
);

/** The map is read field by field once its place in the file is known. */
function readModelField(value: unknown): string | ModelConfig | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  return isJsonObject(value) ? (value as unknown as ModelConfig) : undefined;
}

/** Reads the map in an agent's `model`; undefined if it has a problem, which is reported. */
export function readModelConfig(
  config: { readonly model?: string | ModelConfig },
  read: (owner: object, member: string, fields: Shape<ModelConfig>) => ModelConfig | undefined,
): ModelConfig | undefined {
  return read(config, "model", MODEL_CONFIG_FIELDS);
}

const httpOptions = record<NonNullable<GenerateContentConfig["httpOptions"]>>(
  "Options of a request to the model.",
  Type.Partial({
    timeout: integer("Time limit of a request in ms.", 1),
    retryOptions: settings(
      "Repetitions after failures. When a request is repeated, and after which delay, is the kit's decision.",
      {
        attempts: integer("How often a request is sent in total.", 1),
        maxDelay: number("The longest delay in seconds."),
        initialDelay: number("Ignored."),
        expBase: number("Ignored."),
        jitter: number("Ignored."),
        httpStatusCodes: listOf("Ignored.", integer("A status.", 100)),
      },
    ),
  }),
  { whyOnlyThese: `Only "timeout" and "retryOptions" may stand here. ${OPERATOR_ONLY}` },
);

const modelTool = settings(
  "A tool that runs inside the model, for example { googleSearch: {} }.",
  {
    googleSearch: freeMap("Google Search."),
    googleSearchRetrieval: freeMap("Google Search for older models."),
    enterpriseWebSearch: freeMap("Web search for enterprises."),
    codeExecution: freeMap("Runs code of the model."),
    urlContext: freeMap("Reads pages that the prompt names."),
    computerUse: freeMap("Operates a computer."),
    fileSearch: freeMap("Searches stores of files."),
    googleMaps: settings(
      "Google Maps.",
      {
        enableWidget: flag("Return a token for the widget."),
        groundingTypes: freeMap("Kinds of grounding."),
      },
      OPERATOR_ONLY,
    ),
    retrieval: settings(
      "Retrieval from the stores of the operator's own project.",
      {
        disableAttribution: flag("No attribution."),
        vertexAiSearch: freeMap("A data store or engine of Vertex AI Search."),
        vertexRagStore: freeMap("Corpora of Vertex RAG."),
      },
      OPERATOR_ONLY,
    ),
  },
  OPERATOR_ONLY,
);

type SafetySetting = { readonly category: string; readonly threshold: string; readonly method?: string };

const safetySetting = record<SafetySetting>("What to block.", {
  category: text("Category of harm."),
  threshold: text("The likelihood from which content is blocked."),
  method: Type.Optional(text("How the likelihood is measured.")),
});

const thinkingConfig = settings("How much the model thinks before it answers.", {
  includeThoughts: flag("Return the thoughts."),
  thinkingBudget: integer("The most tokens of thoughts; 0: none, -1: the model decides.", -1),
  thinkingLevel: text("MINIMAL, LOW, MEDIUM or HIGH."),
});

const toolConfig = settings("How the model may call tools.", {
  functionCallingConfig: settings("Calls of functions.", {
    mode: text("AUTO, ANY, NONE or VALIDATED."),
    allowedFunctionNames: listOf("With ANY: the functions that the model may call.", text("A name.")),
    streamFunctionCallArguments: flag("Stream the arguments."),
  }),
  retrievalConfig: settings("The user's language and location, for searches.", {
    languageCode: text("Language."),
    latLng: settings("Place.", { latitude: number("Degrees."), longitude: number("Degrees.") }),
  }),
  includeServerSideToolInvocations: flag("Return the calls of tools that run inside the model."),
});

export const GENERATE_CONTENT_FIELDS = record<GenerateContentConfig>(
  "Settings of the model.",
  Type.Partial({
    temperature: number("Randomness of the answer; 0 is the least."),
    topP: number("Nucleus sampling: tokens are sampled from the most probable ones with this total probability."),
    topK: number("Tokens are sampled from this many of the most probable ones."),
    candidateCount: integer("Number of answers to generate.", 1),
    maxOutputTokens: integer("The most tokens of an answer.", 1),
    stopSequences: listOf("Texts that end the answer.", text("A text.")),
    presencePenalty: number("Penalty for tokens that already occur in the answer."),
    frequencyPenalty: number("Penalty for tokens, in proportion to how often they occur in the answer."),
    seed: integer(
      "Seed of the random generator, so that answers are repeatable if the model supports it.",
      Number.MIN_SAFE_INTEGER,
    ),
    responseMimeType: text("Type of the answer."),
    responseSchema: freeMap("JSON Schema of the answer."),
    responseModalities: listOf("Kinds of answers.", text("TEXT, IMAGE or AUDIO.")),
    safetySettings: listOf("What to block.", safetySetting),
    thinkingConfig,
    toolConfig,
    modelTools: listOf("Tools that run inside the model.", modelTool),
    labels: textMap("Labels for the provider's bill."),
    httpOptions,
  }),
);

/** A map of optional fields, which are passed to the model unchanged. */
function settings(description: string, members: ShapeMembers, whyOnlyThese?: string): Shape<JsonObject> {
  const shape = Type.Object(Type.Partial(members), { additionalProperties: false, description });
  return Type.As<JsonObject>(withRules(shape, { whyOnlyThese }));
}
