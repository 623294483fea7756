import type { Requirement } from "#test/requirements/requirement.ts";

/** Promises about models, tools and identity providers that send more, or something else, than they should. */
export const peers: readonly Requirement[] = [
  {
    id: "peers:models:linear-decoding",
    status: "verified",
    text: "The stream of a model's provider costs processor time in proportion to its bytes, whatever its line ends and lines are.",
  },
  {
    id: "peers:models:bounded-bytes",
    status: "verified",
    text: "Of an answer of a model's provider at most 32 MiB are read, of a stream 128 MiB with events of 32 MiB each, of an error 1 MiB. A longer answer ends with MODEL_ANSWER_TOO_LARGE.",
  },
  {
    id: "peers:models:redirects",
    status: "verified",
    text: "A redirect of a model's provider to another origin is not followed, so that no other server gets the prompt or the key.",
  },
  {
    id: "peers:models:answer-size",
    status: "verified",
    text: "An answer of any model with more than MAX_ANSWER_CHARACTERS characters or MAX_ANSWER_PARTS parts ends its run with MODEL_ANSWER_TOO_LARGE in time that is linear in its size, and nothing of it is stored.",
  },
  {
    id: "peers:models:token-counts",
    status: "verified",
    text: "Token counts that are negative, no whole numbers or above 1,000,000,000 are left out where a model reports them, before budgets, quotas and records count them.",
  },
  {
    id: "peers:models:run-size",
    status: "verified",
    text: "A run with more than MAX_RUN_EVENTS events or MAX_RUN_CHARACTERS characters of events ends with RUN_TOO_LARGE. The event beyond the limit is not stored.",
  },
  {
    id: "peers:terminal:visible",
    status: "verified",
    text: "Commands show control characters, overrides of the writing direction and other unseen characters as escapes, in all that agents, models, tools, servers and files are named or say.",
  },
];
