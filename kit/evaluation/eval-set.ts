import type { Content, FunctionCall, FunctionResponse, Part, UsageMetadata } from "../events/content.ts";
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
  readonly rubrics?: readonly Rubric[];
  readonly finalSessionState?: JsonObject;
}

/** One turn: the user's message and the agents' results. */
export interface Invocation {
  readonly invocationId?: string;
  readonly userContent: Content;
  readonly finalResponse?: Content;
  readonly intermediateData?: IntermediateData;
  readonly creationTimestamp?: number;
  /** Seconds that the turn took, and those of them in models and in tools; only if an evaluation ran it. */
  readonly duration?: number;
  readonly modelDuration?: number;
  readonly toolDuration?: number;
  readonly rubrics?: readonly Rubric[];
  readonly appDetails?: AppDetails;
}

/** A property that a judge looks for. Rubrics of cases and turns count for the metric that evaluates their `type`. */
export interface Rubric {
  readonly rubricId: string;
  readonly rubricContent: { readonly textProperty?: string };
  readonly description?: string;
  readonly type?: string;
}

/** The agents that took part in a turn, by their names. */
export interface AppDetails {
  readonly agentDetails?: Readonly<Record<string, AgentDetails>>;
}

export interface AgentDetails {
  readonly name: string;
  readonly instructions?: string;
  /** Lists of function declarations, as requests to models have them. */
  readonly toolDeclarations?: readonly JsonObject[];
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
  /** Absent on the event of the final response, whose content is the turn's `finalResponse`. */
  readonly content?: Content;
  readonly groundingMetadata?: JsonObject;
  readonly usageMetadata?: UsageMetadata;
  readonly modelVersion?: string;
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

/** The user of cases that name none. */
export const TEST_USER = "test_user_id";
