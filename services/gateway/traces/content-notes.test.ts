import { describe, expect, it } from "vitest";
import { withContentNotes } from "./content-notes.ts";

const REQUEST = "gcp.vertex.agent.llm_request";
const RESPONSE = "gcp.vertex.agent.llm_response";
const ARGS = "gcp.vertex.agent.tool_call_args";
const RESULT = "gcp.vertex.agent.tool_response";
const NOTE = expect.stringContaining("TRACE_CONTENT=true");

describe("the contents of a span's Request and Response tabs", () => {
  it.each([
    ["a model call without content", { [REQUEST]: "{}", [RESPONSE]: "{}" }, { [REQUEST]: NOTE, [RESPONSE]: NOTE }],
    [
      "a model call with content that failed",
      { [REQUEST]: '{"model":"m"}', [RESPONSE]: "{}" },
      { [REQUEST]: '{"model":"m"}', [RESPONSE]: "{}" },
    ],
    ["a tool call without content", { [ARGS]: "{}" }, { [ARGS]: NOTE }],
    [
      "a tool call with content",
      { [ARGS]: '{"a":1}', [RESULT]: '{"b":2}' },
      { [ARGS]: '{"a":1}', [RESULT]: '{"b":2}' },
    ],
    [
      "a tool call with content and without arguments",
      { [ARGS]: "{}", [RESULT]: "null" },
      { [ARGS]: "{}", [RESULT]: "null" },
    ],
    ["another span", { "gen_ai.agent.name": "a" }, { "gen_ai.agent.name": "a" }],
  ])("for %s", (_title, attributes, expected) => {
    expect(withContentNotes(attributes)).toEqual(expected);
  });
});
