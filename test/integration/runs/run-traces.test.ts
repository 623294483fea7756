import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type ServerWorld, startServerWorld } from "#test/helpers/worlds/server-world.ts";

const SESSION = "/apps/app/users/ada/sessions/talk";
const PREFIXES = ["/debug/trace", "/dev/apps/app/debug/trace"];

interface WireSpan {
  readonly name: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
}

async function talk(): Promise<ServerWorld & { readonly eventIds: readonly string[] }> {
  const look = new FunctionTool({ name: "look", description: "Looks.", execute: () => ({ sky: "clear" }) });
  const model = new ScriptedModel([functionCallResponse("look", {}, "c1"), "clear"]);
  const world = await startServerWorld({ agent: new LlmAgent({ name: "helper", model, tools: [look] }) });
  await world.say("how is the sky?");
  // The form of the gateway's answer.
  const { events } = JSON.parse((await world.send("GET", SESSION)).text) as {
    readonly events: { readonly id: string }[];
  };
  return Object.assign(world, { eventIds: events.map(({ id }) => id) });
}

describe("the trace of a run over HTTP", () => {
  it.each(PREFIXES)("is read by its session below %s: each call of a model or tool below its agent", async (prefix) => {
    verifies(
      "events:trace:exporter",
      "events:trace:by-session",
      "endpoints-http:trace-by-session",
      "what-the-service-does:trace-by-session",
    );
    await using world = await talk();
    // The form of the gateway's answer.
    const spans = JSON.parse((await world.send("GET", `${prefix}/session/talk`)).text) as WireSpan[];
    const names = new Map(spans.map((span) => [span.span_id, span.name]));
    const tree = spans.map((span) => [span.name, names.get(span.parent_span_id ?? "")]);
    expect(tree.toSorted((a, b) => `${a}`.localeCompare(`${b}`))).toEqual([
      ["call_llm", "invoke_agent helper"],
      ["call_llm", "invoke_agent helper"],
      ["execute_tool look", "invoke_agent helper"],
      ["invocation", undefined],
      ["invoke_agent helper", "invocation"],
    ]);
  });

  it.each(PREFIXES)("is read by an event below %s: that of the call which made it", async (prefix) => {
    verifies("events:trace:by-event", "endpoints-http:trace-by-event", "what-the-service-does:trace-by-event");
    verifies("events:trace:events-without-span");
    await using world = await talk();
    const traces = await Promise.all(world.eventIds.map((id) => world.send("GET", `${prefix}/${id}`)));
    const [message, call, result, answer] = traces.map(({ status, text }) => ({ ...JSON.parse(text), status }));
    expect(message).toMatchObject({ status: 404, reason: "TRACE_NOT_FOUND" });
    expect([call, result, answer].map((trace) => trace["gcp.vertex.agent.event_id"])).toEqual(world.eventIds.slice(1));
    expect([call.status, call["gen_ai.operation.name"], result["gen_ai.tool.name"]]).toEqual([200, "chat", "look"]);
  });
});
