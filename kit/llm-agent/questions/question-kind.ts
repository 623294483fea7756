import type { CredentialAnswer } from "#kit/credentials/credential-scope.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { FunctionCall, FunctionResponse } from "#kit/events/content.ts";
import type { EventActions, ToolConfirmation, ToolInput } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** The user's answer to a question about a call, in the form in which the call's tool gets it. */
export type GivenAnswer =
  | { readonly kind: "confirmation"; readonly confirmation: ToolConfirmation }
  | { readonly kind: "input"; readonly input: ToolInput }
  | { readonly kind: "credential"; readonly credential: CredentialAnswer };

/** The call that a question is about. */
export type AskedCall = Required<Pick<FunctionCall, "id" | "name" | "args">>;

/** A kind of question about a tool call, such as a confirmation. The framework asks it with a long-running call. */
export interface QuestionKind<Request = unknown> {
  /** The reserved name of the framework's call. */
  readonly callName: string;
  /**
   * True if the question names its tool call by id only. Other kinds of questions contain a copy of the tool call,
   * which must equal the stored one.
   */
  readonly asksById?: true;
  /** The noun for one question of the kind in errors. */
  readonly noun: string;
  readonly reasons: Readonly<Record<"unknown" | "mismatch" | "malformed" | "alreadyUsed", ErrorReason>>;
  /** The content that an answer must have, in words, for the error about an answer without it. */
  readonly expected: string;
  /**
   * Returns the questions in an event's actions. The key of each is the id of the tool call that waits for the answer.
   */
  requestsOf(actions: EventActions): Readonly<Record<string, Request>> | undefined;
  /** Returns the arguments of the framework's call. `askedCall` reads the tool call back from them. */
  toArgs(request: Request, call: AskedCall): JsonObject;
  /** Undefined if the answer cannot be read. `request` is the stored one. */
  readAnswer(response: FunctionResponse, request: Request): GivenAnswer | undefined;
}
