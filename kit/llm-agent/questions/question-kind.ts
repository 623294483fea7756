import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { FunctionResponse } from "#kit/events/content.ts";
import type { EventActions, ToolConfirmation, ToolInput } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";

/** The user's answer to a question about a call, in the form in which the call's tool gets it. */
export type GivenAnswer =
  | { readonly kind: "confirmation"; readonly confirmation: ToolConfirmation }
  | { readonly kind: "input"; readonly input: ToolInput };

/** A kind of question about a call, which the framework asks by a long-running call of its own. */
export interface QuestionKind<Request = unknown> {
  /** The reserved name of the framework's call. */
  readonly callName: string;
  /** What one question of the kind is called in errors. */
  readonly noun: string;
  readonly reasons: Readonly<Record<"unknown" | "mismatch" | "malformed" | "alreadyUsed", ErrorReason>>;
  /** What a readable answer has, for the error about others. */
  readonly expected: string;
  /** The requests of an event, by the ids of the calls that need the answers. */
  requestsOf(actions: EventActions): Readonly<Record<string, Request>> | undefined;
  /** The arguments of the framework's call, beside the call that the question is about. */
  toArgs(request: Request): JsonObject;
  /** Undefined if the answer cannot be read. `request` is the stored one. */
  readAnswer(response: FunctionResponse, request: Request): GivenAnswer | undefined;
}
