import type { ReasonEntry } from "./reason-entry.ts";

/** Why a tool, or an answer to a question about its call, fails. */
export const TOOL_REASONS = {
  TOOL_NOT_FOUND: { code: "NOT_FOUND", meaning: "The model called a tool that the agent does not have." },
  TOOL_ARGUMENTS_UNREADABLE: {
    code: "INVALID_ARGUMENT",
    meaning:
      "The model called a tool with arguments that are not a JSON object. The model gets this error and may call again.",
  },
  TOOL_TIMED_OUT: {
    code: "DEADLINE_EXCEEDED",
    meaning: "A tool took longer than its `timeoutMs` and was stopped; whether it took effect is unknown.",
  },
  MCP_TOOL_FAILED: {
    code: "UNAVAILABLE",
    http: 502,
    meaning: "A call of an MCP server failed; the message names the server.",
  },
  MCP_TOOL_DECLARATION: {
    code: "INVALID_ARGUMENT",
    http: 502,
    meaning: "A tool of an MCP server cannot be declared to a model. The server's other tools can be used.",
  },
  MCP_SESSION_INITIALIZATION: {
    code: "UNAVAILABLE",
    http: 502,
    meaning: "No connection to an MCP server could be opened: its process, address, credentials or protocol.",
  },
  MCP_TOOL_LOADING: { code: "UNAVAILABLE", http: 502, meaning: "The tools of an MCP server could not be listed." },
  A2A_CLIENT: {
    code: "UNAVAILABLE",
    http: 502,
    meaning:
      "A call of a remote agent failed, or its answer is beyond a limit or of another task; the message names the agent that called.",
  },
  AGENT_CARD_RESOLUTION: {
    code: "UNAVAILABLE",
    http: 502,
    meaning: "The card of a remote agent cannot be read, or names no address that can be called.",
  },
  INTEGRATION_DENIED: {
    code: "PERMISSION_DENIED",
    meaning:
      "Google Cloud refuses the credentials of an application integration. The message has the service's reason; check the service account and its roles.",
  },
  INTEGRATION_FAILED: {
    code: "UNAVAILABLE",
    http: 502,
    meaning:
      "An application integration could not be read: Google Cloud answered with an error, or with no usable answer.",
  },
  CONFIRMATION_UNKNOWN: {
    code: "NOT_FOUND",
    meaning: "The answer names a confirmation that this session never asked for. Nothing ran.",
  },
  CONFIRMATION_ALREADY_USED: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "That confirmation was answered before: each answer counts once. Nothing ran.",
  },
  CONFIRMATION_MALFORMED: {
    code: "INVALID_ARGUMENT",
    meaning: "The answer to a confirmation lacks `confirmed: true` or `confirmed: false`. Nothing ran; answer again.",
  },
  CONFIRMATION_MISMATCH: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning:
      "The answer, or the question as stored, is about another tool or other arguments than the call. Nothing ran.",
  },
  INPUT_UNKNOWN: {
    code: "NOT_FOUND",
    meaning: "The answer names a question of a tool that this session never asked. Nothing ran.",
  },
  INPUT_ALREADY_USED: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "That question of a tool was answered before: each answer counts once. Nothing ran.",
  },
  INPUT_MALFORMED: {
    code: "INVALID_ARGUMENT",
    meaning: "The answer to a tool's question has no object as its response. Nothing ran; answer again.",
  },
  INPUT_MISMATCH: {
    code: "FAILED_PRECONDITION",
    http: 409,
    meaning: "The answer, or the question as stored, is about another call than the one that asked. Nothing ran.",
  },
} as const satisfies Record<string, ReasonEntry>;
