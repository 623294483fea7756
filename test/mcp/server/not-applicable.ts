const CONTENT = "the answer of an agent is a text";
const COMPLETIONS = "completions are not offered";
const FIXED_KEYS = "the keys of questions are the ids of an agent's calls, and the scenario expects a fixed one";
const LOGGING = "log messages are not sent to clients";
const OLD_QUESTIONS = "clients of this revision are not asked: that needs a session of the protocol";
const PROMPTS = "prompts are not offered";
const RESOURCES = "resources are not offered";
const SAMPLING = "agents have models of their own, and ask clients neither for samples nor for roots";

/** Scenarios that cannot apply to agents which are served as tools, each with the reason. */
export const SCENARIOS: ReadonlyMap<string, string> = new Map([
  ["completion-complete", COMPLETIONS],
  ["elicitation-sep1034-defaults", OLD_QUESTIONS],
  ["elicitation-sep1330-enums", OLD_QUESTIONS],
  ["input-required-result-basic-elicitation", FIXED_KEYS],
  ["input-required-result-basic-list-roots", SAMPLING],
  ["input-required-result-basic-sampling", SAMPLING],
  ["input-required-result-capability-check", SAMPLING],
  ["input-required-result-ignore-extra-params", FIXED_KEYS],
  ["input-required-result-multiple-input-requests", SAMPLING],
  ["input-required-result-non-tool-request", PROMPTS],
  ["logging-set-level", LOGGING],
  ["prompts-get-embedded-resource", PROMPTS],
  ["prompts-get-simple", PROMPTS],
  ["prompts-get-with-args", PROMPTS],
  ["prompts-get-with-image", PROMPTS],
  ["prompts-list", PROMPTS],
  ["resources-list", RESOURCES],
  ["resources-read-binary", RESOURCES],
  ["resources-read-text", RESOURCES],
  ["resources-subscribe", RESOURCES],
  ["resources-templates-read", RESOURCES],
  ["resources-unsubscribe", RESOURCES],
  ["sep-2164-resource-not-found", RESOURCES],
  ["tools-call-audio", CONTENT],
  ["tools-call-elicitation", OLD_QUESTIONS],
  ["tools-call-embedded-resource", CONTENT],
  ["tools-call-image", CONTENT],
  ["tools-call-mixed-content", CONTENT],
  ["tools-call-sampling", SAMPLING],
  ["tools-call-with-logging", LOGGING],
  [
    "2025-11-25 server-sse-multiple-streams",
    "the server has no sessions of the protocol, on which the streams would be",
  ],
]);

/** Checks of the other scenarios that cannot apply, each with the reason. */
export const CHECKS: ReadonlyMap<string, string> = new Map([
  ["sep-2549-prompts-list-caching-hints", PROMPTS],
  ["sep-2549-resources-list-caching-hints", RESOURCES],
  ["sep-2549-resources-templates-list-caching-hints", RESOURCES],
  ["sep-2575-missing-capability-http-400", SAMPLING],
  ["sep-2575-server-rejects-undeclared-capability", SAMPLING],
]);
