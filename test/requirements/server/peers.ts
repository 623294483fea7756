import type { Requirement } from "#test/requirements/requirement.ts";

/** Promises about models, tools and identity providers that send more, or something else, than they should. */
export const peers: readonly Requirement[] = [
  {
    id: "peers:models:linear-decoding",
    status: "verified",
    text: "The stream of a model's provider costs processor time in proportion to its bytes, whatever its line ends and lines are.",
  },
  {
    id: "peers:schemas:linear",
    status: "verified",
    text: "The schemas of servers and definitions cost processor time in proportion to their text, or up to a fixed limit, whatever their references, nesting and choices are.",
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
  {
    id: "peers:models:file-addresses",
    status: "verified",
    text: "A message with a fileUri is refused before its run is stored, unless the address is a gs:// one, a file of the Gemini API, or on a host of FILE_URI_HOSTS.",
  },
  {
    id: "peers:models:invented-questions",
    status: "verified",
    text: "A call of a model with a name of the framework's questions (adk_request_…) is stored and streamed as unknown_adk_request_…, which no client takes for a question.",
  },
  {
    id: "peers:addresses:metadata",
    status: "verified",
    text: "No setting lets a request reach the addresses on which cloud platforms serve credentials of the machine, whether by name, by address or by an IPv6 form of an IPv4 address.",
  },
  {
    id: "peers:files:private",
    status: "verified",
    text: "Files of the stores have the mode 0600 and their folders 0700, whatever the umask is.",
  },
  {
    id: "peers:files:damaged",
    status: "verified",
    text: "A server whose database is damaged does not start; its error names the file and the page that says how to recover.",
  },
  {
    id: "peers:files:too-many-open",
    status: "verified",
    text: "A request for which the process has no file descriptor left is answered 503 SERVICE_UNAVAILABLE.",
  },
  {
    id: "peers:editor:yaml",
    status: "verified",
    text: "A definition over 256 KiB, or with more than 20,000 marks that may begin a value, is refused before it is parsed.",
  },
  {
    id: "peers:openapi:own-examples",
    status: "verified",
    text: "On a server without authentication the examples of the API's description are of its first app, with the first of the messages that the app's author gives; they work as they are.",
  },
  {
    id: "peers:editor:drafts",
    status: "verified",
    text: "A new app is listed and answers from its draft before it is saved, with a demo model where no key is set; a draft of a saved app changes nothing that runs.",
  },
  {
    id: "peers:editor:assistant",
    status: "verified",
    text: "The editor's assistant writes drafts of the app of its conversation through the editor's allow-list and reaches nothing else, for callers with apps:edit for all apps alone; without a model it answers what to set.",
  },
  {
    id: "peers:files:full-disk",
    status: "verified",
    text: "A data folder that was closed in good order is opened on a full disk, so that reads are served: it holds 1 MiB for the logs of its databases.",
  },
];
