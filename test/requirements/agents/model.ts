import type { Requirement } from "#test/requirements/requirement.ts";

export const model: readonly Requirement[] = [
  { id: "model:request:config", line: 68, status: "verified", text: "A model request has a config for content generation.", names: ["LlmRequest"] },
  { id: "model:request:contents", line: 68, status: "verified", text: "A model request has a list of contents." },
  { id: "model:request:append-instructions", line: 68, status: "verified", text: "System instructions can be appended to a request." },
  { id: "model:request:read-instructions", line: 68, status: "verified", text: "System instructions of a request can be read as a list." },
  { id: "model:request:append-tools", line: 68, status: "verified", text: "Tools can be appended to a request." },
  { id: "model:retry-options", line: 69, status: "verified", text: "What `retryOptions` of a request's HTTP options do is left open.", decided: "`attempts` and `maxDelay` count before the model's own; the kit decides which failures are repeated, and after which delay." },
  { id: "model:response:content", line: 69, status: "verified", text: "A model response has content.", names: ["LlmResponse"] },
  { id: "model:response:grounding-metadata", line: 69, status: "verified", text: "A model response has grounding metadata." },
  { id: "model:response:error-code", line: 69, status: "verified", text: "A model response has an error code." },
  { id: "model:response:error-message", line: 69, status: "verified", text: "A model response has an error message." },
  { id: "model:response:finish-reason", line: 69, status: "verified", text: "A model response has a finish reason." },
  { id: "model:response:avg-logprobs", line: 69, status: "verified", text: "A model response has average log probabilities." },
  { id: "model:response:custom-metadata", line: 69, status: "verified", text: "A model response has custom metadata." },
  { id: "model:response:input-transcription", line: 69, status: "verified", text: "A model response has the transcription of audio input." },
  { id: "model:response:interrupted", line: 69, status: "verified", text: "A model response says whether the model was interrupted while generating." },
];
