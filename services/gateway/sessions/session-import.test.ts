import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type ImportedEvent, toInitialEvents } from "./session-import.ts";

const NO_ACTIONS = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
const OPTIONS = { clock: new FixedClock(1_787_140_000_000), state: { city: "Rome" } } as const;
const importEvents = (...events: readonly ImportedEvent[]) =>
  toInitialEvents(events, { ...OPTIONS, ids: new SequentialIds("id") });

describe("toInitialEvents", () => {
  it("keeps the members of an event, and completes missing ones", () => {
    expect(
      importEvents(
        { author: "user", content: { parts: [{ text: "hi" }] } },
        { author: "model", id: "m", invocationId: "e-1", timestamp: 1_787_140_000.123, actions: NO_ACTIONS },
      ),
    ).toEqual([
      {
        id: "id-1",
        invocationId: "e-id-2",
        author: "user",
        timestamp: 1_787_140_000_000,
        content: { parts: [{ text: "hi" }] },
        actions: NO_ACTIONS,
      },
      { id: "m", invocationId: "e-1", author: "model", timestamp: 1_787_140_000_123, actions: NO_ACTIONS },
    ]);
  });

  it.each<[Partial<ImportedEvent>, string]>([
    [{ longRunningToolIds: ["c"] }, "cannot include longRunningToolIds"],
    [{ partial: true }, "cannot include partial"],
    [{ actions: { stateDelta: { a: 1 } } }, "cannot include actions"],
    [{ actions: { requestedAuthConfigs: { c: {} } } }, "cannot include actions"],
    [{ actions: { requestedToolConfirmations: { c: {} } } }, "cannot include actions"],
    [{ actions: { compaction: { startTimestamp: 1 } } }, "cannot include actions"],
    [{ actions: { rewindBeforeInvocationId: "e-1" } }, "cannot include actions"],
    [{ actions: { stateDelta: { __proto__: null, toString: 1 } } }, "cannot include actions"],
    [{ resumption: { endOfAgent: true } }, "cannot include resumption"],
    [{ deletedArtifactIds: ["a"] }, "cannot include deletedArtifactIds"],
    [{ compactedSequences: { start: 1 } }, "cannot include compactedSequences"],
    [
      { content: { parts: [{ functionCall: { name: "adk_request_credential" } }] } },
      "cannot include adk_request_credential",
    ],
    [
      { content: { parts: [{ functionResponse: { name: "adk_request_confirmation" } }] } },
      "cannot include adk_request_confirmation",
    ],
    [{ id: "first" }, "has the id of an earlier one"],
  ])("refuses an event that does more than speak: %j", (extra, problem) => {
    const events = [
      { author: "user", id: "first" },
      { author: "agent", ...extra },
    ];
    expect(() => importEvents(...events)).toThrow(`Session initialization event 1 ${problem}.`);
  });

  it.each([
    ["a key of the given state", { stateDelta: { city: "Oslo" } }],
    ["a key that a later event removes", { stateDelta: { draft: "x" } }],
    ["a key of one run", { stateDelta: { "temp:x": 1 } }],
    ["saved files", { artifactDelta: { "a.txt": 0 } }],
    ["a transfer", { transferToAgent: "helper" }],
    ["the end of a loop", { escalate: true, endOfAgent: true, skipSummarization: true }],
  ])("leaves out what led to the state: %s", (_what, actions) => {
    verifies("session:import:exported");
    const last = { author: "agent", actions: { stateDelta: { draft: null } } };
    const events = importEvents({ author: "agent", actions: { ...NO_ACTIONS, ...actions } }, last);
    expect(events.map((event) => event.actions)).toEqual([NO_ACTIONS, NO_ACTIONS]);
  });

  it("takes ordinary tool calls", () => {
    const content = { parts: [{ functionCall: { name: "get_weather", args: {} } }] };
    expect(importEvents({ author: "agent", content })).toHaveLength(1);
  });
});
