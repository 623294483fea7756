import type { MediaRules } from "./media-rules.ts";
import { DESCRIBING_KEYWORDS, type SchemaRules } from "./schemas/schema-rules.ts";

/** The protocols whose rules are known; `openai-compatible` is any server but OpenAI's own. */
export type ProviderKind = "gemini" | "vertex" | "claude" | "openai" | "openai-compatible";

/** What one provider takes in requests, as far as that differs between providers. */
export interface ProviderRules {
  readonly media: MediaRules;
  /** Media in the response of a call, beside its data; false: they follow the response as parts of the message. */
  readonly mediaInResponses: boolean;
  readonly toolName: RegExp;
  /** Ids of calls that are taken; others are replaced. Absent: all. */
  readonly callId?: { readonly taken: RegExp; readonly characters: number };
  /** Who can read the thoughts and signatures of an answer: they are sent back to nobody else. */
  readonly thoughtsOf: string;
  /** Stands for the signature that the first call of a message needs but does not have. */
  readonly placeholderSignature?: string;
  /** True: answers that call tools begin with thoughts while thinking is on with a budget. */
  readonly callsBeginWithThoughts: boolean;
  /** True: no tool can be forced while thinking is on. */
  readonly forcesToolsWithoutThinking: boolean;
  readonly displayNames: boolean;
  /** The settings of requests that the model does not take, each with what is wrong with it: "is not …". */
  readonly unknownSettings: Readonly<Record<string, string>>;
  /** Whether the adapter reads the marks that its answers have left on their parts. */
  readonly partMetadata: boolean;
  readonly parameters: SchemaRules;
  readonly output: SchemaRules & {
    /** What the root of an output schema has to be; other answers are the member of an object. */
    readonly root: "object" | "typed";
    /** True: schemas with values of any form are not taken, so that an instruction has to describe the answer. */
    readonly closed: boolean;
  };
}

/** Settings that only Gemini has. */
const ONLY_GEMINI = "is a setting of Gemini models";
const GEMINI_SETTINGS = { safetySettings: ONLY_GEMINI, labels: ONLY_GEMINI, responseModalities: ONLY_GEMINI };

const IMAGES = /^image\/(jpeg|png|gif|webp)$/;
const WEB_ADDRESS = /^https?:/i;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const GENEROUS = { maxDepth: 32, maxCharacters: 100_000 };

const ALL: ReadonlySet<string> = new Set([...DESCRIBING_KEYWORDS, "$ref siblings"]);

// https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use: names of tools, and JSON Schema 2020-12
// with an object as its root. The API's errors name the pattern of property keys, and refuse choices at the root:
// https://github.com/makenotion/notion-mcp-server/issues/341, https://github.com/ComposioHQ/composio/issues/3500.
const CLAUDE_PARAMETERS: SchemaRules = {
  keywords: ALL,
  propertyName: /^[A-Za-z0-9_.-]{1,64}$/,
  references: true,
  typeLists: true,
  textEnumsOnly: false,
  bareUnions: false,
  declaresRequired: false,
  ...GENEROUS,
};

// https://platform.openai.com/docs/guides/function-calling: the root is an object without choices. The API refuses lists
// without `items`.
const OPENAI_PARAMETERS: SchemaRules = CLAUDE_PARAMETERS;

// https://ai.google.dev/api/generate-content#FIELDS.response_json_schema lists the keywords, and what may stand beside a
// reference. https://ai.google.dev/api/caching#FunctionDeclaration has the pattern of parameters. Numeric enumerations,
// lists of types and what stands beside `anyOf` are refused by the API's own form of schemas, into which Vertex AI
// converts them: https://github.com/google-gemini/gemini-cli/issues/13326.
const GEMINI_SCHEMAS: SchemaRules = {
  keywords: new Set([
    ...["type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum"],
    ...["maximum", "anyOf", "properties", "additionalProperties", "required"],
  ]),
  formats: new Set(["date-time", "int32", "int64", "float", "double"]),
  propertyName: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  references: false,
  typeLists: false,
  textEnumsOnly: true,
  bareUnions: true,
  declaresRequired: true,
  maxDepth: 20,
  maxCharacters: GENEROUS.maxCharacters,
};

// https://platform.openai.com/docs/guides/structured-outputs#supported-schemas: keywords, formats, ten levels, 120,000
// characters, no keyword beside a reference.
const OPENAI_OUTPUT: SchemaRules = {
  ...OPENAI_PARAMETERS,
  keywords: new Set([
    ...[
      "type",
      "title",
      "description",
      "enum",
      "const",
      "format",
      "pattern",
      "$ref",
      "$defs",
      "properties",
      "required",
    ],
    ...["additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum"],
    ...["exclusiveMaximum", "multipleOf", "anyOf"],
  ]),
  formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
  maxDepth: 9,
};

// https://docs.claude.com/en/docs/build-with-claude/structured-outputs#json-schema-limitations
const CLAUDE_OUTPUT: SchemaRules = {
  ...CLAUDE_PARAMETERS,
  keywords: new Set([
    ...["type", "title", "description", "default", "enum", "const", "format", "properties", "required", "items"],
    ...["additionalProperties", "anyOf"],
  ]),
  formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]),
  references: false,
};

const NOT_CLAUDE = "is not a setting of Claude models";

const CLAUDE: Omit<ProviderRules, "thoughtsOf"> = {
  // https://docs.claude.com/en/docs/build-with-claude/vision, …/pdf-support
  media: {
    data: /^(image\/(jpeg|png|gif|webp)|application\/pdf)$/,
    files: { address: WEB_ADDRESS, types: /^(image\/(jpeg|png|gif|webp)|application\/pdf)$/ },
  },
  mediaInResponses: true,
  toolName: /^[A-Za-z0-9_-]{1,64}$/,
  callId: { taken: /^[A-Za-z0-9_-]{1,64}$/, characters: 24 },
  // https://docs.claude.com/en/docs/build-with-claude/extended-thinking#preserving-thinking-blocks
  callsBeginWithThoughts: true,
  forcesToolsWithoutThinking: true,
  displayNames: true,
  // https://docs.claude.com/en/api/messages has none of these.
  unknownSettings: {
    ...GEMINI_SETTINGS,
    candidateCount: NOT_CLAUDE,
    presencePenalty: NOT_CLAUDE,
    frequencyPenalty: NOT_CLAUDE,
    seed: NOT_CLAUDE,
  },
  partMetadata: false,
  parameters: CLAUDE_PARAMETERS,
  output: { ...CLAUDE_OUTPUT, root: "object", closed: true },
};

const ONE_ANSWER = "has no effect: one answer is read";

const OPENAI: ProviderRules = {
  // https://platform.openai.com/docs/guides/images-vision, …/audio, …/pdf-files
  media: {
    data: /^(image\/(jpeg|png|gif|webp)|audio\/((x-)?wave?|mpeg|mp3)|application\/pdf)$/,
    files: { address: WEB_ADDRESS, types: IMAGES },
  },
  mediaInResponses: true,
  toolName: /^[A-Za-z0-9_-]{1,64}$/,
  callId: { taken: /^.{1,40}$/, characters: 24 },
  thoughtsOf: "openai",
  callsBeginWithThoughts: false,
  forcesToolsWithoutThinking: false,
  displayNames: true,
  unknownSettings: {
    ...GEMINI_SETTINGS,
    candidateCount: ONE_ANSWER,
    topK: "is not a parameter of OpenAI's API",
  },
  partMetadata: false,
  parameters: OPENAI_PARAMETERS,
  output: { ...OPENAI_OUTPUT, root: "object", closed: false },
};

/** The rules of a server's Responses API, which takes no sound, and gets its reasoning back. */
export function responsesRules(rules: ProviderRules): ProviderRules {
  return {
    ...rules,
    media: { ...rules.media, data: /^(image\/(jpeg|png|gif|webp)|application\/pdf)$/ },
    thoughtsOf: `${rules.thoughtsOf} responses`,
    partMetadata: true,
    unknownSettings: {
      ...rules.unknownSettings,
      ...{ topK: NOT_RESPONSES, seed: NOT_RESPONSES, stopSequences: NOT_RESPONSES },
      ...{ presencePenalty: NOT_RESPONSES, frequencyPenalty: NOT_RESPONSES },
    },
  };
}

const NOT_RESPONSES = "is not a parameter of the Responses API";

const COMPATIBLE: ProviderRules = {
  ...OPENAI,
  toolName: NAME,
  thoughtsOf: "openai-compatible",
  unknownSettings: { ...GEMINI_SETTINGS, candidateCount: ONE_ANSWER },
  // The adapter reads from it where a thought came from, and sends none of it.
  partMetadata: true,
  // Servers that make a grammar of the schema, and those that read parts of it, know no references.
  parameters: { ...OPENAI_PARAMETERS, propertyName: GEMINI_SCHEMAS.propertyName, references: false },
  output: { ...OPENAI_OUTPUT, references: false, root: "object", closed: false },
};

const GEMINI: ProviderRules = {
  // https://ai.google.dev/gemini-api/docs/image-understanding, …/audio, …/video-understanding, …/document-processing
  media: {
    data: /^(image\/(png|jpe?g|webp|hei[cf])|audio\/(x-)?(wave?|mp3|mpeg|mpga|aiff|aac|ogg|opus|flac|m4a|mp4|webm|pcm|l16)|video\/(x-)?(mp4|mpe?g|mov|quicktime|avi|flv|webm|wmv|ms-wmv|3gpp|mpegps)|application\/pdf)$/,
    files: {
      address: /^[a-z]+:/i,
      types: /^(image\/(png|jpe?g|webp|hei[cf])|audio\/.+|video\/.+|text\/.+|application\/pdf)$/,
    },
  },
  mediaInResponses: true,
  toolName: /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/,
  thoughtsOf: "gemini",
  callsBeginWithThoughts: false,
  forcesToolsWithoutThinking: false,
  displayNames: false,
  unknownSettings: {},
  partMetadata: false,
  parameters: GEMINI_SCHEMAS,
  output: { ...GEMINI_SCHEMAS, root: "typed", closed: false },
};

/** https://ai.google.dev/gemini-api/docs/thought-signatures#faqs; base64 in its alphabet for addresses. */
const PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator";

/** The rules for a model of a provider; `server` is the host of a compatible server. */
export function providerRules(kind: ProviderKind, model: string, server = ""): ProviderRules {
  switch (kind) {
    case "gemini":
    case "vertex":
      return {
        ...GEMINI,
        ...geminiGeneration(model, kind),
        displayNames: kind === "vertex",
        unknownSettings: {
          ...geminiSampling(model),
          ...(kind === "gemini" && { labels: "is a setting of Vertex AI" }),
        },
      };
    case "claude":
      // The API refuses the thoughts of another of its models: https://github.com/anthropics/claude-code/issues
      return { ...CLAUDE, thoughtsOf: `claude ${model}` };
    case "openai":
      return OPENAI;
    case "openai-compatible":
      return compatibleRules(model, server);
    default:
      return kind satisfies never;
  }
}

/**
 * Before Gemini 3 a response has no media, and calls need no signatures. Those of one generation, and of one of the two
 * APIs, are not known to be taken by the other; there is the placeholder for calls that another model has made.
 */
function geminiGeneration(model: string, thoughtsOf: string): Partial<ProviderRules> {
  const isOld = /gemini-[12](\.|-|$)/.test(model);
  if (isOld) return { mediaInResponses: false, thoughtsOf: `${thoughtsOf} 2` };
  return { thoughtsOf, placeholderSignature: /gemini/.test(model) ? PLACEHOLDER_SIGNATURE : undefined };
}

// https://ai.google.dev/gemini-api/docs/changelog: deprecated with the 3.6 models (2026-07-21) and for all newer ones.
const NO_SAMPLING = "is deprecated for Gemini 3.6 and newer models";
const GEMINI_SAMPLING = { temperature: NO_SAMPLING, topP: NO_SAMPLING, topK: NO_SAMPLING };

function geminiSampling(model: string): Readonly<Record<string, string>> {
  const [, major = "0", minor = "0"] = /gemini-(\d+)(?:\.(\d+))?/.exec(model) ?? [];
  const isNew = Number(major) > 3 || (major === "3" && Number(minor) >= 6);
  return isNew ? GEMINI_SAMPLING : {};
}

function compatibleRules(model: string, server: string): ProviderRules {
  // What one server calls reasoning, another one refuses as an unknown member.
  const thoughtsOf = ["openai-compatible", server, model].filter((text) => text !== "").join(" ");
  // Gemini's compatible endpoint, and gateways to it, pass signatures on.
  if (/gemini/.test(model)) {
    const { placeholderSignature } = geminiGeneration(model, thoughtsOf);
    return {
      ...COMPATIBLE,
      thoughtsOf,
      parameters: GEMINI_SCHEMAS,
      ...(placeholderSignature !== undefined && { placeholderSignature }),
    };
  }
  // https://docs.mistral.ai: "must be a-z, A-Z, 0-9, with a length of 9".
  if (/(mi|magi|mini|code|dev)stral|(pix|mix|vox)tral/.test(model))
    return { ...COMPATIBLE, thoughtsOf, callId: { taken: /^[A-Za-z0-9]{9}$/, characters: 9 } };
  return { ...COMPATIBLE, thoughtsOf };
}

/** The rules for a model of the AI SDK, by the name that it has for its provider, such as `google.vertex.chat`. */
export function aiSdkRules(provider: string, model: string): ProviderRules {
  const rules = providerRules(kindOf(provider), model);
  return { ...rules, thoughtsOf: `ai-sdk ${provider} ${rules.thoughtsOf}`, partMetadata: true };
}

/** Whether a provider of the AI SDK has OpenAI's protocol, or one like it. */
export function isOfOpenAi(provider: string): boolean {
  return /^openai/.test(kindOf(provider));
}

function kindOf(provider: string): ProviderKind {
  if (/anthropic/i.test(provider)) return "claude";
  if (/vertex/i.test(provider)) return "vertex";
  if (/^google|gemini/i.test(provider)) return "gemini";
  return /^openai\b/i.test(provider) ? "openai" : "openai-compatible";
}
