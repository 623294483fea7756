import { describe, expect, it } from "vitest";
import { createEventActions, type EventActions } from "#kit/events/event-actions.ts";
import { doesSomething, mergeActions } from "./merge-actions.ts";

function merged(...all: readonly Partial<EventActions>[]): EventActions {
  const target = createEventActions();
  for (const actions of all) mergeActions(target, createEventActions(actions));
  return target;
}

describe("the actions of several calls", () => {
  it.each<[string, Partial<EventActions>, Partial<EventActions>, Partial<EventActions>]>([
    [
      "the later value",
      { stateDelta: { a: 1, b: [1] } },
      { stateDelta: { a: 2, b: [2] } },
      { stateDelta: { a: 2, b: [2] } },
    ],
    [
      "objects key by key",
      { stateDelta: { a: { x: 1, deep: { p: 1 } } } },
      { stateDelta: { a: { y: 2, deep: { q: 2 } } } },
      { stateDelta: { a: { x: 1, y: 2, deep: { p: 1, q: 2 } } } },
    ],
    [
      "a removal as a removal",
      { stateDelta: { a: { x: 1 } } },
      { stateDelta: { a: null } },
      { stateDelta: { a: null } },
    ],
    [
      "the higher version",
      { artifactDelta: { f: 3 } },
      { artifactDelta: { f: 2, g: 0 } },
      { artifactDelta: { f: 3, g: 0 } },
    ],
    [
      "a file saved after it was deleted",
      { deletedArtifactIds: ["f"] },
      { artifactDelta: { f: 4 } },
      { artifactDelta: { f: 4 } },
    ],
    [
      "a file deleted after it was saved",
      { artifactDelta: { f: 4 } },
      { deletedArtifactIds: ["f"] },
      { deletedArtifactIds: ["f"] },
    ],
    [
      "raised flags",
      { escalate: true, transferToAgent: "a" },
      { escalate: false },
      { escalate: true, transferToAgent: "a" },
    ],
    [
      "what both ask of the user",
      { requestedAuthConfigs: { a: {} }, requestedToolConfirmations: { a: { confirmed: false } } },
      { requestedAuthConfigs: { b: {} }, requestedToolConfirmations: { b: { confirmed: false } } },
      {
        requestedAuthConfigs: { a: {}, b: {} },
        requestedToolConfirmations: { a: { confirmed: false }, b: { confirmed: false } },
      },
    ],
    ["the last target", { transferToAgent: "a" }, { transferToAgent: "b" }, { transferToAgent: "b" }],
  ])("keep %s", (_, first, second, expected) => {
    expect(merged(first, second)).toEqual(createEventActions(expected));
  });

  it("keep a target if a later call has set none", () => {
    const target = createEventActions({ transferToAgent: "a" });
    // What a tool in plain JavaScript may do.
    const later = createEventActions();
    Object.assign(later, { transferToAgent: undefined });
    mergeActions(target, later);
    expect(target.transferToAgent).toBe("a");
  });

  it("keep a state key named __proto__ as data", () => {
    const stateDelta = JSON.parse('{"a":{"__proto__":{"x":1}}}');
    expect(JSON.stringify(merged({ stateDelta }, { stateDelta: { a: { y: 2 } } }).stateDelta)).toBe(
      '{"a":{"__proto__":{"x":1},"y":2}}',
    );
  });
});

describe("whether actions change anything", () => {
  it.each<[Partial<EventActions>]>([
    [{ stateDelta: { a: 1 } }],
    [{ artifactDelta: { f: 0 } }],
    [{ requestedAuthConfigs: { c: {} } }],
    [{ requestedToolConfirmations: { c: { confirmed: false } } }],
    [{ transferToAgent: "other" }],
    [{ escalate: true }],
    [{ skipSummarization: true }],
    [{ deletedArtifactIds: ["f"] }],
  ])("is true for %j alone", (actions) => {
    expect([doesSomething(createEventActions(actions)), doesSomething(createEventActions())]).toEqual([true, false]);
  });
});
