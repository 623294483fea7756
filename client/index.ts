// The exports for pages and programs that call a server: `import { createClient } from "fairlead/client"`.

export type { Content, FunctionCall, FunctionResponse, Part } from "#kit/events/content.ts";
export type { Event } from "#kit/events/event.ts";
export type { RunStatus, TerminalRunStatus } from "#kit/sessions/run-record.ts";
export type { SessionKey } from "#kit/sessions/session.ts";
export type { ArtifactCalls, ReadArtifactOptions, SaveArtifactOptions } from "./artifact-calls.ts";
export type { RetryPolicy } from "./back-off.ts";
export {
  addUpdate,
  addUserMessage,
  type Conversation,
  type ConversationMessage,
  conversationOf,
  EMPTY_CONVERSATION,
} from "./conversation.ts";
export { type ClientOptions, createClient, type FairleadClient, type RunAnswer } from "./create-client.ts";
export {
  type Confirmation,
  callsOf,
  createAnswer,
  createConfirmation,
  filesOf,
  responsesOf,
  textOf,
  thoughtsOf,
} from "./event-parts.ts";
export { type ClientErrorReason, FairleadError, type FairleadErrorOptions } from "./fairlead-error.ts";
export { createFilePart, type FileContent, toBlob } from "./file-part.ts";
export type { HeaderMap } from "./http-client.ts";
export { LiveCall, type LiveMessage, type LiveOptions } from "./live-call.ts";
export type {
  CancelOptions,
  ClaimInboxOptions,
  InboxCalls,
  ListInboxOptions,
  ListRunsOptions,
  RunCalls,
  StartOptions,
} from "./run-calls.ts";
export type { RunStream, RunStreamOptions } from "./run-stream.ts";
export type {
  ListSessionsOptions,
  ReadSessionOptions,
  SessionCalls,
  SessionInput,
  SessionPage,
} from "./session-calls.ts";
export type {
  ArtifactVersionData,
  CallOptions,
  CreateOptions,
  InboxAnswer,
  InboxClaim,
  InboxEntry,
  InboxPage,
  InboxQuestion,
  RunData,
  RunInput,
  RunPage,
  RunUpdate,
  SessionData,
  WaitingCall,
} from "./wire-types.ts";
