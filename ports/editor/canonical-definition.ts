import { type ConfigNode, toJson } from "#kit/definitions/yaml/config-node.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { camelCase } from "#kit/schema/spelling.ts";
import { fieldName, simpleClass, simpleTool } from "./agent-fields.ts";

/**
 * An agent's fields in one spelling, independent of the file's: camelCase, bare class names, paths from the app's
 * folder.
 */
export type CanonicalDefinition = ReadonlyMap<string, JsonValue>;

/** Resolves a `configPath` of the current definition to a file. */
export type ResolvePath = (configPath: string) => string;

/** Below these fields the keys are the author's own. */
const FREE_FIELDS = new Set(["inputSchema", "outputSchema"]);

/** Undefined for a value that is not a map. */
export function canonicalDefinition(node: ConfigNode, resolve: ResolvePath): CanonicalDefinition | undefined {
  if (node.kind !== "map") return undefined;
  const fields = new Map<string, JsonValue>();
  for (const { key, value } of node.entries) {
    const name = fieldName(key);
    const given = toJson(value);
    if (given !== null) fields.set(name, canonicalValue(name, given, resolve));
  }
  return fields;
}

function canonicalValue(name: string, value: JsonValue, resolve: ResolvePath): JsonValue {
  if (name === "agentClass") return typeof value === "string" ? simpleClass(value) : value;
  if (name === "subAgents") return mapList(value, (ref) => canonicalRef(ref, resolve));
  if (name === "tools") return mapList(value, (tool) => canonicalTool(tool, resolve));
  return FREE_FIELDS.has(name) ? value : withCamelCase(value);
}

function canonicalRef(ref: JsonObject, resolve: ResolvePath): JsonObject {
  const { configPath, ...rest } = camelCaseKeys(ref);
  return typeof configPath === "string" ? { ...rest, configPath: resolve(configPath) } : camelCaseKeys(ref);
}

function canonicalTool(tool: JsonObject, resolve: ResolvePath): JsonObject {
  const { name, args } = tool;
  if (typeof name !== "string" || simpleTool(name) !== "AgentTool" || !isJsonObject(args)) return tool;
  const { agent, skipSummarization, ...rest } = camelCaseKeys(args);
  return {
    ...tool,
    args: present({
      ...rest,
      // False is the default, so it is left out.
      skipSummarization: skipSummarization !== undefined && skipSummarization !== false ? skipSummarization : undefined,
      ...(agent !== undefined && { agent: isJsonObject(agent) ? canonicalRef(agent, resolve) : agent }),
    }),
  };
}

function mapList(value: JsonValue, convert: (item: JsonObject) => JsonObject): JsonValue {
  return Array.isArray(value) ? value.map((item) => (isJsonObject(item) ? convert(item) : item)) : value;
}

function camelCaseKeys(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [camelCase(key), member]));
}

function withCamelCase(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withCamelCase);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      camelCase(key),
      key === "responseSchema" || key === "response_schema" ? member : withCamelCase(member),
    ]),
  );
}

/** Whether two values are equal, independent of the order of their members. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || sortedText(one) === sortedText(other);
}

function sortedText(value: JsonValue | undefined): string | undefined {
  return JSON.stringify(value, (_, member: JsonValue) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/** The file of the agent that a reference names or an agent tool uses; undefined if it names none. */
export function fileOf(entry: JsonValue): string | undefined {
  if (!isJsonObject(entry)) return undefined;
  if (typeof entry["configPath"] === "string") return entry["configPath"];
  const { args } = entry;
  const agent = isJsonObject(args) ? args["agent"] : undefined;
  return isJsonObject(agent) && typeof agent["configPath"] === "string" ? agent["configPath"] : undefined;
}

/** The entries of a list field. */
export function entriesOf(
  definition: CanonicalDefinition | undefined,
  field: "subAgents" | "tools",
): readonly JsonValue[] {
  const value = definition?.get(field);
  return Array.isArray(value) ? value : [];
}
