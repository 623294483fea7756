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
 * The texts that the developer UI shows in the Request and Response tabs of a model's event, and among the attributes
 * of a tool's span. Where traces have no content, a note names the setting that enables it; otherwise the tabs would be
 * empty.
 */
export function withContentNotes(attributes: Record<string, JsonValue>): Record<string, JsonValue> {
  // A recorded prompt always names its model. A missing answer may have another cause: the model failed.
  if (attributes[REQUEST] === CONTENT_WITHHELD) return { ...attributes, [REQUEST]: WITHHELD, [RESPONSE]: WITHHELD };
  // A call without arguments looks like a withheld one, but a recorded call also has its response.
  if (attributes[TOOL_ARGS] === CONTENT_WITHHELD && attributes[TOOL_RESPONSE] === undefined)
    return { ...attributes, [TOOL_ARGS]: WITHHELD };
  return attributes;
}
