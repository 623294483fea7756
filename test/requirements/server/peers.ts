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
];
