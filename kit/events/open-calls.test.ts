import { describe, expect, it } from "vitest";
import { createEvent, type Event } from "./event.ts";
import { type ClosedBy, OpenCalls } from "./open-calls.ts";

const at = { id: "e", invocationId: "i", timestamp: 0 };

const CALL = createEvent({
  ...at,
  author: "clerk",
  longRunningToolIds: ["job"],
  content: { role: "model", parts: [{ functionCall: { id: "job", name: "start_job", args: {} } }] },
});

function answer(author: string, response: Record<string, unknown> | undefined, id = "job"): Event {
  return createEvent({
    ...at,
    author,
    content: { role: "user", parts: [{ functionResponse: { id, name: "start_job", response } as never }] },
  });
}

const INTERIM = answer("clerk", { status: "pending" });
const FAILED = answer("clerk", { error: "The queue is full." });
const FINAL = answer("user", { status: "done" });
const FINAL_ERROR = answer("user", { error: "It was lost." });
const OTHER = answer("user", { status: "done" }, "another");

describe("OpenCalls", () => {
  it.each<[string, readonly Event[], Record<ClosedBy, boolean>]>([
    ["without a response", [CALL], { any: true, user: true }],
    ["with a response to another call", [CALL, OTHER], { any: true, user: true }],
    ["with the tool's interim response", [CALL, INTERIM], { any: false, user: true }],
    ["with an empty response of the tool", [CALL, answer("clerk", undefined)], { any: false, user: true }],
    ["whose tool failed", [CALL, FAILED], { any: false, user: false }],
    ["that was refused until its confirmation, and has begun", [CALL, FAILED, INTERIM], { any: false, user: true }],
    ["whose tool failed at last", [CALL, INTERIM, FAILED], { any: false, user: false }],
    ["with the final response", [CALL, INTERIM, FINAL], { any: false, user: false }],
    ["with a final response that is an error", [CALL, INTERIM, FINAL_ERROR], { any: false, user: false }],
    ["whose final response the agent repeats", [CALL, FINAL, INTERIM], { any: false, user: false }],
    ["that failed and got a final response", [CALL, FAILED, FINAL, INTERIM], { any: false, user: false }],
    ["that was never made", [INTERIM], { any: false, user: false }],
  ])("a call %s", (_, events, expected) => {
    for (const closedBy of ["any", "user"] as const) {
      const calls = new OpenCalls(closedBy);
      for (const event of events) calls.watch(event);
      expect([closedBy, calls.has("job"), calls.size]).toEqual([
        closedBy,
        expected[closedBy],
        expected[closedBy] ? 1 : 0,
      ]);
    }
  });
});
