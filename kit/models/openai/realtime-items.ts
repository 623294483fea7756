import type { ConversationItem, RealtimeConversationItemUserMessage } from "openai/resources/realtime/realtime";
import type { Content, Part } from "#kit/events/content.ts";
import { numberedCall, responseId, responseText } from "#kit/models/message-parts.ts";

/** The items of a conversation that a content is: a message, calls, and the results of calls. */
export function toItems({ role, parts = [] }: Content): readonly ConversationItem[] {
  const calls = parts.flatMap(({ functionCall, functionResponse }): ConversationItem[] => {
    if (functionCall !== undefined) {
      const { id, name, args } = numberedCall(functionCall);
      return [{ type: "function_call", call_id: id, name, arguments: JSON.stringify(args) }];
    }
    if (functionResponse === undefined) return [];
    const output = responseText(functionResponse);
    return [{ type: "function_call_output", call_id: responseId(functionResponse), output }];
  });
  return [...message(role === "model" ? "assistant" : "user", parts), ...calls];
}

function message(role: "assistant" | "user", parts: readonly Part[]): readonly ConversationItem[] {
  if (role === "assistant") {
    const text = parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("");
    return text === "" ? [] : [{ type: "message", role, content: [{ type: "output_text", text }] }];
  }
  const content = parts.flatMap(({ text, inlineData }): RealtimeConversationItemUserMessage["content"] => {
    if (text !== undefined && text !== "") return [{ type: "input_text", text }];
    const { mimeType = "", data = "" } = inlineData ?? {};
    if (!mimeType.startsWith("image/")) return [];
    return [{ type: "input_image", image_url: `data:${mimeType};base64,${data}` }];
  });
  return content.length === 0 ? [] : [{ type: "message", role, content }];
}
