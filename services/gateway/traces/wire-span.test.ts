import { describe, expect, it } from "vitest";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { toFlatSpan, toWireSpan } from "./wire-span.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";

function span(attributes: SpanRecord["attributes"], rest: Partial<SpanRecord> = {}): SpanRecord {
  return {
    name: "call_llm",
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    startTime: 1_767_225_600_000.5,
    endTime: 1_767_225_600_001,
    attributes,
    ...rest,
  };
}

describe("a span on the wire", () => {
  it("has snake case names, ids in hex and times in nanoseconds", () => {
    verifies("wire:trace:span-shape");
    const wire = toWireSpan(
      span({ "gen_ai.request.model": "demo/weather" }, { parentSpanId: "53995c3f42cd8ad8" }),
      "s1",
    );
    expect(wire).toEqual({
      name: "call_llm",
      trace_id: TRACE_ID,
      span_id: SPAN_ID,
      parent_span_id: "53995c3f42cd8ad8",
      start_time: 1_767_225_600_000_500_000,
      end_time: 1_767_225_600_001_000_000,
      attributes: { "gen_ai.request.model": "demo/weather" },
    });
    expect(JSON.stringify(wire)).toContain('"start_time":1767225600000500');
  });

  it("leaves out nulls and numbers that JSON cannot represent, at any depth", () => {
    const attributes = {
      a: null,
      b: [1, null, { c: null, d: 2 }],
      e: Number.NaN,
      f: { g: Number.POSITIVE_INFINITY, h: true },
    };
    expect(toWireSpan(span(attributes), "s1").attributes).toEqual({ b: [1, { d: 2 }], f: { h: true } });
  });

  it.each([
    ["token counts become numbers", { "gen_ai.usage.input_tokens": "12" }, { "gen_ai.usage.input_tokens": 12 }],
    ["token counts that are none go", { "gen_ai.usage.output_tokens": "many" }, {}],
    [
      "one finish reason becomes a list",
      { "gen_ai.response.finish_reasons": "stop" },
      { "gen_ai.response.finish_reasons": ["stop"] },
    ],
    ["an agent's name that is not text goes", { "gen_ai.agent.name": { x: 1 } }, {}],
    [
      "an event id that is a number becomes text",
      { "gcp.vertex.agent.event_id": 7 },
      { "gcp.vertex.agent.event_id": "7" },
    ],
  ])("%s", (_title, attributes, expected) => {
    expect(toWireSpan(span(attributes), "s1").attributes).toEqual(expected);
  });

  it("has the name that ADK's servers give themselves beside a model's provider", () => {
    const attributes = { "gen_ai.provider.name": "openai" };
    expect(toFlatSpan(span(attributes))).toMatchObject({ ...attributes, "gen_ai.system": "gcp.vertex.agent" });
  });

  it("gives an agent's span the conversation of its request", () => {
    expect(toWireSpan(span({ "gen_ai.operation.name": "invoke_agent" }), "s1").attributes).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.conversation.id": "s1",
    });
  });

  it("takes the operation from a model call that lacks its event's id, which would void the whole list", () => {
    const attributes = { "gen_ai.operation.name": "generate_content", "gcp.vertex.agent.invocation_id": "e-1" };
    expect(toWireSpan(span(attributes), "s1").attributes).toEqual({ "gcp.vertex.agent.invocation_id": "e-1" });
    const complete = { ...attributes, "gcp.vertex.agent.event_id": "ev" };
    expect(toWireSpan(span(complete), "s1").attributes).toEqual(complete);
  });

  it("is one flat object in the lookup by event, with the failure of the work", () => {
    expect(toFlatSpan(span({ "gcp.vertex.agent.event_id": "ev", x: null }, { error: "rate limited" }))).toEqual({
      "gcp.vertex.agent.event_id": "ev",
      "error.message": "rate limited",
      trace_id: TRACE_ID,
      span_id: SPAN_ID,
    });
  });
});
