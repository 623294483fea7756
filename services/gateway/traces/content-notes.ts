import { CONTENT_WITHHELD } from "#kit/llm-agent/base/model-attributes.ts";
import type { JsonValue } from "#kit/platform/json.ts";

const REQUEST = "gcp.vertex.agent.llm_request";
const RESPONSE = "gcp.vertex.agent.llm_response";
const TOOL_ARGS = "gcp.vertex.agent.tool_call_args";
const TOOL_RESPONSE = "gcp.vertex.agent.tool_response";

const WITHHELD = JSON.stringify({
  note: "Traces are kept without content. Start the server (with several services: the runner) with TRACE_CONTENT=true and run again to see it here.",
});

/**
 * What the developer UI shows in the Request and Response tabs of a model's event, and among the attributes of a tool's span. Where traces
 * have no content, a note names the setting that switches it on; the tabs would be empty without a word.
 */
export function withContentNotes(attributes: Record<string, JsonValue>): Record<string, JsonValue> {
  // A recorded prompt always names its model. The answer may be missing for another reason: the model failed.
  if (attributes[REQUEST] === CONTENT_WITHHELD) return { ...attributes, [REQUEST]: WITHHELD, [RESPONSE]: WITHHELD };
  // A call without arguments looks as withheld ones do, but if it is recorded its response is too.
  if (attributes[TOOL_ARGS] === CONTENT_WITHHELD && attributes[TOOL_RESPONSE] === undefined)
    return { ...attributes, [TOOL_ARGS]: WITHHELD };
  return attributes;
}
