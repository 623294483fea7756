import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { type ImportedEvent, toInitialEvents } from "./session-import.ts";

const NO_ACTIONS = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
const importEvents = (...events: readonly ImportedEvent[]) =>
  toInitialEvents(events, { clock: new FixedClock(1_787_140_000_000), ids: new SequentialIds("id") });

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
    [{ actions: { escalate: true } }, "cannot include actions"],
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

  it("takes ordinary tool calls", () => {
    const content = { parts: [{ functionCall: { name: "get_weather", args: {} } }] };
    expect(importEvents({ author: "agent", content })).toHaveLength(1);
  });
});
