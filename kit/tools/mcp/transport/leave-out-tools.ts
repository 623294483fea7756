import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { McpSdk } from "./mcp-sdk.ts";

/** An entry of a list of tools that does not have the form of the protocol. */
export interface LeftOutTool {
  readonly tool: string;
  readonly problem: string;
}

const MAX_CHARACTERS = 200;

/**
 * The message without tools that do not have the form of the protocol: the SDK refuses a whole list for one of them.
 */
export function withoutBrokenTools<Message extends JSONRPCMessage>(
  sdk: McpSdk,
  message: Message,
  onLeftOut: (leftOut: LeftOutTool) => void,
): Message {
  if (!("result" in message)) return message;
  // Parsed from JSON, whose members the transport has not checked.
  const tools = message.result["tools"] as JsonValue | undefined;
  if (!Array.isArray(tools)) return message;
  const kept = tools.filter((tool, index) => {
    const problem = problemOf(sdk, tool);
    if (problem !== undefined) onLeftOut({ tool: nameOf(tool, index), problem: shortened(problem) });
    return problem === undefined;
  });
  return kept.length === tools.length ? message : { ...message, result: { ...message.result, tools: kept } };
}

function problemOf({ specTypeSchemas }: McpSdk, tool: JsonValue): string | undefined {
  const result = specTypeSchemas.Tool["~standard"].validate(tool);
  const [issue] = result instanceof Promise ? [] : (result.issues ?? []);
  return issue && `${(issue.path ?? []).map(String).join(".") || "the tool"}: ${issue.message}`;
}

function nameOf(tool: JsonValue, index: number): string {
  const name = isJsonObject(tool) ? tool["name"] : undefined;
  return typeof name === "string" && name !== "" ? shortened(name) : `number ${index + 1}`;
}

function shortened(text: string): string {
  return text.slice(0, MAX_CHARACTERS).toWellFormed();
}
