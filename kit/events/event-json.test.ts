import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { eventFromJson } from "./event-json.ts";

const MINIMAL = { id: "e", invocationId: "i", author: "helper", timestamp: 1_787_140_000_250 };
const NO_ACTIONS = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };

const FULL = {
  ...MINIMAL,
  content: {
    role: "model",
    parts: [
      { text: "hm", thought: true, thoughtSignature: "c2ln" },
      { inlineData: { mimeType: "image/png", data: "aGk=", displayName: "a.png" } },
      { fileData: { fileUri: "gs://b/a", mimeType: "image/png" } },
      { functionCall: { id: "c", name: "add", args: { a: 1 } } },
      { functionResponse: { id: "c", name: "add", response: { result: 1 } } },
      { executableCode: { language: "PYTHON", code: "1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
      { notYetInvented: { deep: [null] } },
    ],
  },
  actions: {
    stateDelta: { a: null, "app:b": [1] },
    artifactDelta: { "a.txt": 0 },
    requestedAuthConfigs: { c: { scheme: {} } },
    requestedToolConfirmations: { c: { hint: "Really?", confirmed: false, payload: { n: 1 } } },
    transferToAgent: "other",
    escalate: true,
    skipSummarization: true,
    endOfAgent: true,
    deletedArtifactIds: ["b.txt"],
    compaction: { compactedContent: { parts: [{ text: "sum" }] }, startTimestamp: 1e12, endTimestamp: 2e12 },
    agentState: { step: 1 },
    rewindBeforeInvocationId: "i0",
  },
  partial: true,
  turnComplete: true,
  interrupted: true,
  longRunningToolIds: ["c"],
  branch: "a.b",
  errorCode: "SAFETY",
  errorMessage: "no",
  finishReason: "SAFETY",
  usageMetadata: { totalTokenCount: 3 },
  groundingMetadata: { webSearchQueries: ["q"] },
  citationMetadata: { citations: [] },
  avgLogprobs: -0.25,
  customMetadata: [{ key: "k", stringValue: "v" }],
  modelVersion: "m-1",
  inputTranscription: { text: "said", finished: true },
  outputTranscription: { text: "answered" },
  nodeInfo: { path: "x" },
};

describe("eventFromJson", () => {
  it("reads every field as it was written, unknown members of parts included", () => {
    verifies(
      "event-actions:escalate",
      "event:json:parse",
      "event:unknown-fields",
      "event:field:node-info",
      "event:field:custom-metadata",
      "event-actions:artifact-delta",
      "event-actions:compaction",
      "event-actions:compaction:compacted-content",
      "event-actions:end-of-agent",
      "event-actions:confirmation:confirmed",
      "event-actions:confirmation:hint",
      "event-actions:requested-auth-configs",
      "event-actions:requested-tool-confirmations",
    );
    expect(eventFromJson(JSON.stringify(FULL))).toEqual(FULL);
  });

  it("fills in what each event has, and takes null for absent", () => {
    verifies("event-actions:maps-always-present", "typescript:optional");
    const nulls = { ...MINIMAL, content: null, branch: null, actions: { escalate: null, stateDelta: null } };
    const event = eventFromJson(JSON.stringify(nulls));
    expect(JSON.stringify(event)).toBe(JSON.stringify({ ...MINIMAL, actions: NO_ACTIONS }));
    expect([event.branch, Object.hasOwn(event, "branch")]).toEqual([undefined, false]);
    expect(eventFromJson(JSON.stringify(MINIMAL))).toEqual(event);
  });

  it("distinguishes seconds from milliseconds", () => {
    verifies("event:field:timestamp", "event-actions:compaction:end-timestamp");
    const compaction = { compactedContent: {}, startTimestamp: 1_787_140_000.5, endTimestamp: 1_787_140_001 };
    const event = eventFromJson(JSON.stringify({ ...MINIMAL, timestamp: 1_787_140_000.25, actions: { compaction } }));
    expect(event).toEqual({
      ...MINIMAL,
      actions: {
        ...NO_ACTIONS,
        compaction: { ...compaction, startTimestamp: 1_787_140_000_500, endTimestamp: 1_787_140_001_000 },
      },
    });
  });

  it("reads the deprecated endInvocation as endOfAgent, and a set once per name", () => {
    verifies("event-actions:end-invocation", "event-actions:deleted-artifact-ids", "typescript:sets");
    const actions = { endInvocation: true, deletedArtifactIds: ["b", "a", "b"] };
    expect(eventFromJson(JSON.stringify({ ...MINIMAL, actions })).actions).toEqual({
      ...NO_ACTIONS,
      endOfAgent: true,
      deletedArtifactIds: ["b", "a"],
    });
  });

  it.each([
    [[], "the value", "must be an object"],
    [{ ...MINIMAL, id: undefined }, "id", "is missing"],
    [{ ...MINIMAL, invocationId: null }, "invocationId", "is missing"],
    [{ ...MINIMAL, author: "" }, "author", "is empty"],
    [{ ...MINIMAL, timestamp: "now" }, "timestamp", "must be a number"],
    [{ ...MINIMAL, content: "hi" }, "content", "must be an object"],
    [{ ...MINIMAL, content: { parts: { text: "hi" } } }, "content.parts", "must be a list"],
    [{ ...MINIMAL, content: { parts: [{}, { text: 1 }] } }, "content.parts[1].text", "must be a string"],
    [
      { ...MINIMAL, content: { parts: [{ functionCall: { args: [] } }] } },
      "content.parts[0].functionCall.args",
      "must be an object",
    ],
    [{ ...MINIMAL, partial: 1 }, "partial", "must be a boolean"],
    [{ ...MINIMAL, longRunningToolIds: [1] }, "longRunningToolIds[0]", "must be a string"],
    [{ ...MINIMAL, actions: { escalate: "yes" } }, "actions.escalate", "must be a boolean"],
    [
      { ...MINIMAL, actions: { artifactDelta: { a: -1 } } },
      "actions.artifactDelta.a",
      "must be a whole number of at least 0",
    ],
    [{ ...MINIMAL, actions: { compaction: {} } }, "actions.compaction.compactedContent", "is missing"],
    [
      { ...MINIMAL, actions: { compaction: { keptSequences: ["1"] } } },
      "actions.compaction.keptSequences[0]",
      "must be a number",
    ],
    [{ ...MINIMAL, cacheMetadata: { contentsCount: 1 } }, "cacheMetadata.fingerprint", "is missing"],
    [
      { ...MINIMAL, actions: { requestedToolConfirmations: { c: { hint: "x" } } } },
      "actions.requestedToolConfirmations.c.confirmed",
      "is missing",
    ],
  ])("names what is wrong in %j", (value, field, problem) => {
    expect(() => eventFromJson(JSON.stringify(value))).toThrowError(
      expect.objectContaining({ reason: "INVALID_FIELD", message: `${field} ${problem}.`, details: { field } }),
    );
  });

  it("reports a text that is not JSON", () => {
    expect(() => eventFromJson("{")).toThrowError(
      expect.objectContaining({ reason: "MALFORMED_JSON", message: "The event is not valid JSON." }),
    );
  });

  it("keeps keys named like members of every object as plain data", () => {
    const json = `{"id":"e","invocationId":"i","author":"a","timestamp":1,"actions":{"stateDelta":{"__proto__":{"x":1}}}}`;
    const { stateDelta } = eventFromJson(json).actions;
    expect([JSON.stringify(stateDelta), Object.getPrototypeOf(stateDelta)]).toEqual([
      '{"__proto__":{"x":1}}',
      Object.prototype,
    ]);
  });
});
