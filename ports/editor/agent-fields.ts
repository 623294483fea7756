import type { BaseAgentConfig } from "#kit/definitions/yaml/agent-config.ts";
import { AGENT_FIELDS } from "#kit/definitions/yaml/agent-fields.ts";
import { TOOL_PREFIXES } from "#kit/definitions/yaml/tool-prefixes.ts";
import type { Shape } from "#kit/schema/shape.ts";
import { camelCase, snakeCase } from "#kit/schema/spelling.ts";

export const DEFAULT_AGENT_CLASS = "LlmAgent";

const ALL_FIELDS = new Set(Object.values(AGENT_FIELDS).flatMap(({ properties = {} }) => Object.keys(properties)));

/** The fields of a class without its prefix; undefined for a class that the program registers. */
export function fieldsOf(agentClass: string): Shape<BaseAgentConfig> | undefined {
  return Object.hasOwn(AGENT_FIELDS, agentClass) ? AGENT_FIELDS[agentClass] : undefined;
}

/** `LlmAgent` for each of its names. */
export function simpleClass(name: string): string {
  const bare = name.replace(/^(?:com\.)?google\.adk\.agents\./, "");
  return fieldsOf(bare) === undefined ? name : bare;
}

/** `AgentTool` for each of its names. */
export function simpleTool(name: string): string {
  const prefix = TOOL_PREFIXES.findLast((known) => known !== "" && name.startsWith(known)) ?? "";
  return name.slice(prefix.length);
}

/** The name of an agent's field in camelCase; any other key unchanged. */
export function fieldName(key: string): string {
  const name = camelCase(key);
  return ALL_FIELDS.has(name) ? name : key;
}

/** The name of a field in ADK's files; any other key unchanged. */
export function adkName(key: string): string {
  const name = camelCase(key);
  return ALL_FIELDS.has(name) ? snakeCase(name) : key;
}
