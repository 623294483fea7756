import type { Part } from "../events/content.ts";
import { BLOB, CONTENT, FILE_DATA, FUNCTION_CALL, FUNCTION_RESPONSE, PART } from "../events/content-table.ts";
import { type ShapeMembers, Type, withRules } from "../schema/shape.ts";
import { readValue } from "../schema/shape-reader.ts";
import type { EvalCaseResult, EvalSetResult } from "./eval-result.ts";
import type {
  ConversationScenario,
  EvalCase,
  EvalSet,
  IntermediateData,
  Invocation,
  SessionInput,
} from "./eval-set.ts";

/**
 * The shapes of evaluation data. Files of other ADK servers are read too, so only what code relies on is required and
 * checked; the other members are named so that both their spellings are read.
 */
const anything = Type.Optional(Type.Json());

/** Members that are renamed and otherwise not changed. */
function named<Name extends string>(...names: readonly Name[]) {
  // One member for each name.
  return Object.fromEntries(names.map((name) => [name, anything])) as Readonly<Record<Name, typeof anything>>;
}

const optionalObject = (members: ShapeMembers) => Type.Optional(Type.Object(members));
const optionalList = (members: ShapeMembers) => Type.Optional(Type.Array(Type.Object(members)));

const RUBRICS = optionalList({
  rubricId: Type.String(),
  rubricContent: Type.Object({ textProperty: Type.Optional(Type.String()) }),
});

const RESPONSE_WITH_FILES = Type.Object({
  ...FUNCTION_RESPONSE.properties,
  parts: optionalList({ inlineData: Type.Optional(BLOB), fileData: Type.Optional(FILE_DATA) }),
});

const PARTS = Type.Array(PART);

/** Author and parts, as a pair. */
const SAID = Type.Custom<readonly [string, readonly Part[]]>({ type: "array" }, (value) => {
  if (!Array.isArray(value) || typeof value[0] !== "string") return undefined;
  const parts = readValue(PARTS, value[1]);
  return parts.ok ? [value[0], parts.value] : undefined;
});

const INTERMEDIATE_DATA = Type.As<IntermediateData>(
  Type.Object({
    toolUses: Type.Optional(Type.Array(FUNCTION_CALL)),
    toolResponses: Type.Optional(Type.Array(RESPONSE_WITH_FILES)),
    intermediateResponses: Type.Optional(Type.Array(SAID)),
    invocationEvents: optionalList({
      ...named("author", "groundingMetadata", "usageMetadata", "modelVersion"),
      content: Type.Optional(CONTENT),
    }),
  }),
);

const INVOCATION_MEMBERS = {
  ...named("invocationId", "creationTimestamp", "inferenceCallCount", "duration", "modelDuration", "toolDuration"),
  appDetails: optionalObject({
    agentDetails: Type.Optional(Type.Map(Type.Object(named("name", "instructions", "toolDeclarations")))),
  }),
  finalResponse: Type.Optional(CONTENT),
  intermediateData: Type.Optional(INTERMEDIATE_DATA),
  rubrics: RUBRICS,
};

const INVOCATION = Type.As<Invocation>(Type.Object({ ...INVOCATION_MEMBERS, userContent: CONTENT }));

const text = Type.Optional(Type.String());

const SCENARIO = Type.As<ConversationScenario>(
  Type.Object({ startingPrompt: Type.String(), conversationPlan: Type.String(), ...named("userPersona") }),
);

const SESSION_INPUT = Type.As<SessionInput>(
  Type.Object({ appName: text, userId: text, state: Type.Optional(Type.JsonObject()), ...named("sessionId") }),
);

export const EVAL_CASE = Type.As<EvalCase>(
  Type.Object({
    ...named("evalId", "creationTimestamp", "finalSessionState"),
    conversation: Type.Optional(Type.Array(INVOCATION)),
    conversationScenario: Type.Optional(SCENARIO),
    sessionInput: Type.Optional(SESSION_INPUT),
    rubrics: RUBRICS,
  }),
);

const SET_MEMBERS = { evalSetId: Type.Optional(Type.Json()), name: text, description: text };

/** A set as input. Each case is read separately, so that errors name its position. */
export const GIVEN_SET = Type.Object({
  ...SET_MEMBERS,
  evalCases: Type.Optional(Type.Array(Type.Json())),
  creationTimestamp: Type.Optional(Type.Number()),
});

/** A set as output. On the wire and in files, only its own members are in snake_case. */
export const EVAL_SET = withRules(
  Type.As<EvalSet>(
    Type.Object({ ...SET_MEMBERS, evalCases: Type.Array(Type.Json()), creationTimestamp: Type.Number() }),
  ),
  { spelling: "snake_case" },
);

const METRICS = optionalList({
  ...named("metricName", "threshold", "criterion", "customFunctionPath", "score", "evalStatus"),
  details: optionalObject({
    rubricScores: optionalList(named("rubricId")),
    tokenUsageDetails: optionalObject(
      named(
        ...["totalTokens", "inputTokens", "promptTokens", "cachedTokens"],
        ...["toolUseTokens", "outputTokens", "candidatesTokens", "reasoningTokens"],
      ),
    ),
    durationDetails: optionalObject(named("totalSeconds", "modelSeconds", "toolSeconds", "frameworkSeconds")),
  }),
});

const PAST_INVOCATION = optionalObject({ ...INVOCATION_MEMBERS, userContent: Type.Optional(CONTENT) });

const CASE_RESULT = Type.As<EvalCaseResult>(
  Type.Object({
    ...named("evalSetFile", "evalSetId", "evalId", "finalEvalStatus", "sessionId", "sessionDetails", "userId"),
    evalMetricResults: METRICS,
    overallEvalMetricResults: METRICS,
    evalMetricResultPerInvocation: optionalList({
      actualInvocation: PAST_INVOCATION,
      expectedInvocation: PAST_INVOCATION,
      evalMetricResults: METRICS,
    }),
  }),
);

/** A result as it is stored. Members that other servers may leave out have defaults. */
type StoredResult = Pick<EvalSetResult, "evalSetId" | "evalSetResultId"> & Partial<EvalSetResult>;

export const EVAL_SET_RESULT = Type.As<StoredResult>(
  Type.Object({
    evalSetResultId: Type.String({ minLength: 1 }),
    evalSetResultName: text,
    evalSetId: anything,
    evalCaseResults: Type.Optional(Type.Array(CASE_RESULT)),
    creationTimestamp: Type.Optional(Type.Number()),
  }),
);
