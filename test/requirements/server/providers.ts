import type { Requirement } from "#test/requirements/requirement.ts";

/** Promises about requests in the form that each model's provider takes. */
export const providers: readonly Requirement[] = [
  {
    id: "providers:refused:next-message",
    status: "verified",
    text: "What a model refuses by 400, 413, 415 or 422 for its content does not stop the next message.",
    decided:
      "Later prompts have a note in the place of the files that the refused request had added. Without files a note replaces its words, and so for files before it, unless the provider's text is about settings or tools. By 403 or 404 for a file that it has no more, the files alone. The session keeps what was said; the mark is in the stored error event.",
  },
  {
    id: "providers:files:taken-or-noted",
    status: "verified",
    text: "A file that the model's provider does not take never fails a request.",
    decided: "One table by provider: its own types as files, all types of text as text, anything else as a note with name, type and size.",
  },
  {
    id: "providers:thoughts:own-model",
    status: "verified",
    text: "Thoughts and their signatures go back only to those who can read them.",
    decided:
      "Gemini's to Gemini models of the same generation and API, Claude's to the same Claude model, the reasoning of a server of OpenAI's protocol to the same server and model, an AI SDK provider's to that provider and its models of one kind. A server that refuses answers without `reasoning_content`, as DeepSeek does for those of other models, gets a placeholder; one that refuses the member gets none. OpenRouter's `reasoning_details` go back with the calls. Each thought in an answer has a mark in `partMetadata`; one without a mark counts as another's and is left out.",
  },
  {
    id: "providers:thoughts:placeholder",
    status: "verified",
    text: "Gemini from version 3 on gets a signature with the first call and the images of each answer that have none.",
    decided: "Its documented `skip_thought_signature_validator`.",
  },
  {
    id: "providers:thoughts:claude-tool-round",
    status: "verified",
    text: "A round of tools that another model began does not fail at Claude because thinking is on.",
    decided: "Thinking with a budget is left off for the requests of such a round, because Claude wants its own thoughts before its calls.",
  },
  {
    id: "providers:conversation:user-first-and-last",
    status: "verified",
    text: "Each request begins and ends with the user and has no empty part.",
    decided: "A message to carry on is added where the user's is missing.",
  },
  {
    id: "providers:calls:ids",
    status: "verified",
    text: "Calls of one provider's answers have ids that each other provider takes, and that are unique in the conversation.",
    decided: "An id that a provider does not take, or that an earlier call of the conversation has, is replaced by a hash. A response has the id of the newest call with its original id.",
  },
  {
    id: "providers:tools:names",
    status: "verified",
    text: "Names of tools that a provider does not take are shortened, whatever made the tool, and the tool is found again from the call.",
    decided: "Cut to 64 characters with a hash of the whole name, after all prefixes; the history's calls have the same name.",
  },
  {
    id: "providers:tools:root",
    status: "verified",
    text: "The schema of a tool's arguments has an object without choices at its root.",
    decided: "`anyOf`, `oneOf`, `allOf`, references and conditions are folded into one object; the description says the rule, and the tool checks its own schema.",
  },
  {
    id: "providers:tools:properties",
    status: "verified",
    text: "Properties whose names a provider does not take are renamed, and named back in calls at every depth.",
  },
  {
    id: "providers:tools:schemas",
    status: "verified",
    text: "Schemas are rewritten to what each provider documents, so that one tool never disables an agent.",
    decided: "What a provider does not take is said in descriptions. A schema beyond 100,000 characters ends at a smaller depth.",
  },
  {
    id: "providers:output:wrapped",
    status: "verified",
    text: "Output schemas that are not an object are the member `value` of one where the provider takes objects alone.",
    decided: "The answer is unwrapped; its text is not streamed.",
  },
  {
    id: "providers:output:described",
    status: "verified",
    text: "Output schemas that Claude cannot be held to are described in the instruction.",
    decided: "Values of any form and maps; the kit checks the answer and asks again.",
  },
  {
    id: "providers:settings:named",
    status: "verified",
    text: "An error about refused settings names them.",
    decided: "Which settings a model refuses changes with each model, so none is dropped: the error names those of `generateContentConfig` that the provider's text names. Thinking with forced tools at Claude fails before it is sent.",
  },
  {
    id: "providers:retry:until-shown",
    status: "verified",
    text: "A failure within a stream, an empty stream and a lost connection are repeated like a 5xx until the caller was shown something.",
    decided: "Invalid calls after thoughts alone are repeated once, like empty answers.",
  },
  {
    id: "providers:retry:failed-answers",
    status: "verified",
    text: "Failed answers leave no part without data in the history.",
  },
  {
    id: "providers:record:played-back",
    status: "verified",
    text: "A record of the wire has each exchange with a provider, so that a program can play it back.",
    decided: "Requests, statuses, harmless headers and the bytes as they came, also of failures and of lost connections. `fairlead run --record-wire` writes it.",
  },
  {
    id: "providers:record:no-credentials",
    status: "verified",
    text: "A record of the wire has no credentials.",
    decided: "Headers and parameters of addresses by a list of harmless ones. What they sent is removed wherever it is quoted, and so are secrets of the environment, members with names of secrets, keys of known forms, and the queries of addresses in bodies.",
  },
  {
    id: "providers:record:new-file",
    status: "verified",
    text: "A record of the wire is a new file that its user alone can read.",
  },
  {
    id: "providers:record:bounded",
    status: "verified",
    text: "A record of the wire is bounded, whole after a crash, and never changes a call.",
    decided: "JSON lines of 256 MiB at most, 16 MiB for each body. The line of a request is written before it is answered.",
  },
  {
    id: "providers:gemini:variables",
    status: "verified",
    text: "Which variables choose Vertex AI and have the key of Gemini is left open.",
    decided: "`GOOGLE_GENAI_USE_ENTERPRISE`, which counts if both are set, or `GOOGLE_GENAI_USE_VERTEXAI`, with `true` or `1`; `GOOGLE_API_KEY`, `GEMINI_API_KEY` or `GOOGLE_GENAI_API_KEY`: the names that ADK's commands write into `.env`.",
  },
];
