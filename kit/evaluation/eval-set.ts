import type { Content, FunctionCall, FunctionResponse, Part } from "../events/content.ts";
import type { JsonObject, JsonValue } from "../platform/json.ts";

/**
 * Evaluation data in the kit's form. In messages and files an `EvalSet` itself has snake_case keys and everything in it
 * camelCase ones (`eval-json.ts` converts). Members that are not declared here stay unchanged. Times are seconds since
 * the epoch.
 */
export interface EvalSet {
  readonly evalSetId: string;
  readonly name?: string;
  readonly description?: string;
  readonly evalCases: readonly EvalCase[];
  readonly creationTimestamp: number;
}

/** One conversation to repeat and to evaluate. Has exactly one of `conversation` and `conversationScenario`. */
export interface EvalCase {
  readonly evalId: string;
  readonly conversation?: readonly Invocation[];
  readonly conversationScenario?: ConversationScenario;
  readonly sessionInput?: SessionInput;
  readonly creationTimestamp?: number;
  readonly rubrics?: readonly JsonObject[];
  readonly finalSessionState?: JsonObject;
}

/** One turn: the user's message and the agents' results. */
export interface Invocation {
  readonly invocationId?: string;
  readonly userContent: Content;
  readonly finalResponse?: Content;
  readonly intermediateData?: IntermediateData;
  readonly creationTimestamp?: number;
  readonly rubrics?: readonly JsonObject[];
  readonly appDetails?: JsonObject;
}

/** The events between question and answer: tools and texts in lists, or (newer) the events in order. */
export interface IntermediateData {
  readonly toolUses?: readonly FunctionCall[];
  readonly toolResponses?: readonly FunctionResponse[];
  /** Pairs of author and parts. */
  readonly intermediateResponses?: readonly (readonly [string, readonly Part[]])[];
  readonly invocationEvents?: readonly InvocationEvent[];
}

export interface InvocationEvent {
  readonly author: string;
  readonly content?: Content;
}

/** A conversation of a simulated user. */
export interface ConversationScenario {
  readonly startingPrompt: string;
  readonly conversationPlan: string;
  readonly userPersona?: JsonValue;
}

/** The session that a case starts with. */
export interface SessionInput {
  readonly appName: string;
  readonly userId: string;
  readonly state?: JsonObject;
  readonly sessionId?: string;
}
