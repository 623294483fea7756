import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { McpSdk } from "./mcp-sdk.ts";

/** An entry of a list that does not have the form of the protocol. */
export interface LeftOutEntry {
  readonly list: keyof typeof LISTS;
  readonly name: string;
  readonly problem: string;
}

const MAX_CHARACTERS = 200;
const LISTS = { tool: "Tool", resource: "Resource", prompt: "Prompt" } as const;
/** Members without which an entry has no use. */
const NEEDED: ReadonlySet<unknown> = new Set(["name", "uri", "inputSchema"]);
/** Optional members of one entry that may be wrong. */
const MAX_REPAIRS = 6;

/**
 * The message without entries of lists that do not have the form of the protocol: the SDK refuses a whole list for one
 * of them. An optional member that is wrong is left out alone.
 */
export function withoutBrokenEntries<Message extends JSONRPCMessage>(
  sdk: McpSdk,
  message: Message,
  onLeftOut: (leftOut: LeftOutEntry) => void,
): Message {
  if (!("result" in message)) return message;
  let { result } = message;
  for (const list of ["tool", "resource", "prompt"] as const) {
    // Parsed from JSON, whose members the transport has not checked.
    const entries = result[`${list}s`] as JsonValue | undefined;
    if (!Array.isArray(entries)) continue;
    const kept = entries.flatMap((entry: JsonValue, index): readonly JsonValue[] => {
      const checked = repaired(sdk.specTypeSchemas[LISTS[list]], entry);
      if (typeof checked !== "string") return [checked];
      onLeftOut({ list, name: nameOf(entry, index), problem: shortened(checked) });
      return [];
    });
    result = { ...result, [`${list}s`]: kept };
  }
  return { ...message, result };
}

type EntrySchema = McpSdk["specTypeSchemas"][(typeof LISTS)[keyof typeof LISTS]];

/** The entry, or its problem. */
function repaired(schema: EntrySchema, entry: JsonValue): JsonObject | string {
  let current = entry;
  for (let repairs = 0; ; repairs += 1) {
    const result = schema["~standard"].validate(current);
    const [issue] = result instanceof Promise ? [] : (result.issues ?? []);
    if (issue === undefined && isJsonObject(current)) return current;
    const path = (issue?.path ?? []).map(String);
    const [member] = path;
    const isOptional = isJsonObject(current) && member !== undefined && Object.hasOwn(current, member);
    if (!isOptional || NEEDED.has(member) || repairs === MAX_REPAIRS)
      return `${path.join(".") || "the entry"}: ${issue?.message ?? "it is not an object"}`;
    current = Object.fromEntries(Object.entries(current as JsonObject).filter(([name]) => name !== member));
  }
}

function nameOf(entry: JsonValue, index: number): string {
  const name = isJsonObject(entry) ? entry["name"] : undefined;
  return typeof name === "string" && name !== "" ? shortened(name) : `number ${index + 1}`;
}

function shortened(text: string): string {
  return text.slice(0, MAX_CHARACTERS).toWellFormed();
}
