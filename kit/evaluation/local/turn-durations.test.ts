import { expect, it } from "vitest";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { turnDurations } from "./turn-durations.ts";

it.each<[string, readonly (readonly [name: string, start: number, end: number])[], object]>([
  ["nothing without the span of the run", [["call_llm", 0, 100]], {}],
  ["the whole turn without calls", [["invocation", 500, 1500]], { duration: 1, modelDuration: 0, toolDuration: 0 }],
  [
    "calls one after the other",
    [
      ["invocation", 0, 1000],
      ["call_llm", 100, 300],
      ["execute_tool find", 300, 600],
      ["call_llm", 600, 900],
      ["agent_run", 0, 1000],
    ],
    { duration: 1, modelDuration: 0.5, toolDuration: 0.3 },
  ],
  [
    "calls at the same time once",
    [
      ["invocation", 0, 1000],
      ["call_llm", 200, 600],
      ["call_llm", 100, 300],
      ["call_llm", 250, 350],
    ],
    { duration: 1, modelDuration: 0.5, toolDuration: 0 },
  ],
  [
    "the model within a tool as the model's",
    [
      ["invocation", 0, 1000],
      ["execute_tool ask", 100, 900],
      ["call_llm", 200, 500],
    ],
    { duration: 1, modelDuration: 0.3, toolDuration: 0.5 },
  ],
  [
    "thousandths",
    [
      ["invocation", 0, 1.6],
      ["call_llm", 0, 0.4],
    ],
    { duration: 0.002, modelDuration: 0, toolDuration: 0 },
  ],
])("counts %s", (_title, spans, expected) => {
  expect(turnDurations(spans.map(([name, startTime, endTime]) => span({ name, startTime, endTime })))).toEqual(
    expected,
  );
});

function span(record: Pick<SpanRecord, "name" | "startTime" | "endTime">): SpanRecord {
  return { traceId: "0", spanId: "0", attributes: {}, ...record };
}
