import type { Content, Part, UsageMetadata } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import type { ConcurrencyPolicy, RunError, RunStatus, TerminalRunStatus } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";

/** A session as the server sends it. */
export interface SessionData extends SessionKey {
  /** All scopes merged; keys of shared scopes have their prefix (`app:`, `user:`). */
  readonly state: JsonObject;
  /** In order. Empty in lists. */
  readonly events: readonly Event[];
  /** Seconds since the epoch, with a fraction. */
  readonly lastUpdateTime: number;
}

/** The record of a run. Times are in milliseconds since the epoch. */
export interface RunData {
  readonly runId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly invocationId: string;
  readonly status: RunStatus;
  readonly policy: string;
  /** The user's message as text, cut to 1,000 characters; to 200 in lists. */
  readonly message?: string;
  /** The run with the answer to this one, which waited for input. */
  readonly answeredBy?: string;
  /** How many runners have executed it. */
  readonly attempts: number;
  /** The version of the app's sources that it is executed with, if the server knows it. */
  readonly agentRevision?: string;
  readonly epoch: number;
  readonly holder?: string;
  readonly cancelRequested: boolean;
  readonly createdTime: number;
  readonly startedTime?: number;
  readonly finishedTime?: number;
  readonly deadline?: number;
  readonly usage?: UsageMetadata;
  /** The message of the Agent2Agent protocol that started the run. */
  readonly a2aMessageId?: string;
  readonly error?: RunError;
}

/** A call that waits for the user: of a long-running tool, or `adk_request_confirmation`. */
export interface WaitingCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** The event that made the call. */
  readonly eventId: string;
  /** The agent that waits. */
  readonly author: string;
  /** What the tool has answered so far, if it began work that someone else ends. Absent for a question to the user. */
  readonly interimResponse?: JsonObject;
}

/** One page of runs. */
export interface RunPage {
  /** Newest first. */
  readonly runs: readonly RunData[];
  /** Leads to older runs; absent on the last page. */
  readonly nextPageToken?: string;
}

/** A question of an agent that a person answers. */
export interface InboxQuestion {
  /** The id of the call that waits. */
  readonly id: string;
  /** The call's name, such as `adk_request_confirmation`. */
  readonly name: string;
  /**
   * `confirmation`: whether `tool` may run. `input`: data that it needs. `credential`: its user has to sign in, and nobody
   * else can answer. `work`: the result of a tool that has begun, or waits for a person.
   */
  readonly kind: "confirmation" | "input" | "credential" | "work";
  /** The agent that waits. */
  readonly agent: string;
  readonly tool: string;
  readonly args?: JsonObject;
  /** The arguments are too long for a list: `inbox.get` reads them. */
  readonly argsCut?: boolean;
  /** The tool says this about its question. */
  readonly reason?: string;
  /** An answer can change it and give it back. */
  readonly payload?: JsonValue;
  /** The form of the answer, as JSON schema. */
  readonly responseSchema?: JsonObject;
  /** What the tool has answered so far. */
  readonly interimResponse?: JsonObject;
}

/** A run that waits for answers. */
export interface InboxEntry {
  /** The id of the run. */
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  /** The user's message, cut to 200 characters. */
  readonly message?: string;
  /** Milliseconds since the epoch. */
  readonly waitingSince: number;
  /** When the server answers, if nobody has; absent if the run waits for ever. */
  readonly expiresAt?: number;
  /** The server's answer then. */
  readonly onExpiry?: "reject" | "approve" | "fail";
  /** Present while somebody works on an answer. */
  readonly claim?: InboxClaim;
  /** Cut in lists (`questionsLeft`, `argsCut`); empty if the run does not wait any more. */
  readonly questions: readonly InboxQuestion[];
  /** How many more questions the run waits for. */
  readonly questionsLeft?: number;
}

/** Somebody works on the answer of an entry. */
export interface InboxClaim {
  readonly by: string;
  /** Whether it is the caller's. */
  readonly mine: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
}

/** One page of what waits for people. */
export interface InboxPage {
  /** Newest first. */
  readonly entries: readonly InboxEntry[];
  /** Whether entries can be claimed on this server. */
  readonly keepsClaims?: boolean;
  /** Absent on the last page. */
  readonly nextPageToken?: string;
}

/** The answers to all questions of an entry. */
export interface InboxAnswer {
  /** The answer to all confirmations that `answers` does not name. */
  readonly confirmed?: boolean | undefined;
  /** Given with `confirmed`: the payload, as the person changed it. */
  readonly payload?: JsonValue | undefined;
  /** The response to each question, by its id. */
  readonly answers?: Readonly<Record<string, JsonObject>> | undefined;
  /** Answers although somebody else has claimed the entry. */
  readonly takeOver?: boolean | undefined;
}

/** What is known of one version of a file. */
export interface ArtifactVersionData {
  /** From 0. */
  readonly version: number;
  readonly canonicalUri: string;
  readonly customMetadata: JsonObject;
  /** Seconds since the epoch, with a fraction. */
  readonly createTime: number;
  readonly mimeType?: string;
}

/** A run to start. */
export interface RunInput {
  /** The session, which has to exist; what `sessions.create` and `sessions.get` return can be given. */
  readonly session: SessionKey;
  /** A text, parts (files, answers to calls), or a whole message. Absent only to resume an invocation. */
  readonly newMessage?: string | readonly Part[] | Content | undefined;
  readonly stateDelta?: JsonObject | undefined;
  /** What happens if another run of the session is active; `enqueue` if the app has no other default. */
  readonly policy?: ConcurrencyPolicy | undefined;
  /** Longest run in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Resume this invocation. */
  readonly invocationId?: string | undefined;
  readonly functionCallEventId?: string | undefined;
  readonly customMetadata?: JsonValue | undefined;
}

/** What a stream reports, in its order. */
export type RunUpdate =
  /** An event of the run: a chunk (`partial: true`), or a complete one, which replaces its chunks. Both have its id. */
  | { readonly kind: "event"; readonly event: Event }
  /** Chunks whose complete event has not arrived are void: another runner repeats the model's call, or some are lost. */
  | { readonly kind: "reset" }
  /** The connection was lost. The stream tries again after the pause. */
  | { readonly kind: "reconnecting"; readonly failures: number; readonly delayMs: number; readonly error: Error }
  /** The run has ended; nothing follows. */
  | { readonly kind: "end"; readonly status: TerminalRunStatus };

/** Options of every call. */
export interface CallOptions {
  /** Ends the request. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of calls that create something. */
export interface CreateOptions extends CallOptions {
  /**
   * Makes a repeated call return what the first one created. The client makes a key for each call, so that its own
   * repeats are safe; give one to repeat the call after a reload of the page as well.
   */
  readonly idempotencyKey?: string | undefined;
}
