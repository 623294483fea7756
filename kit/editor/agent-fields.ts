import { BASE_AGENT_FIELDS, LLM_AGENT_FIELDS, LOOP_AGENT_FIELDS } from "#kit/definitions/yaml/agent-config-fields.ts";
import type { ConfigField } from "#kit/definitions/yaml/config-field.ts";
import { TOOL_PREFIXES } from "#kit/definitions/yaml/tool-prefixes.ts";
import { camelCase, snakeCase } from "#kit/schema/spelling.ts";

/** Fields of the built-in kinds of agents, by their names in camelCase. */
export type AgentFields = ReadonlyMap<string, ConfigField<unknown>>;

export const DEFAULT_AGENT_CLASS = "LlmAgent";

const table = (fields: object): AgentFields => new Map(Object.entries(fields));

const FIELDS_BY_CLASS: Readonly<Record<string, AgentFields>> = {
  LlmAgent: table(LLM_AGENT_FIELDS),
  SequentialAgent: table(BASE_AGENT_FIELDS),
  ParallelAgent: table(BASE_AGENT_FIELDS),
  LoopAgent: table(LOOP_AGENT_FIELDS),
};

const ALL_FIELDS = new Set(Object.values(FIELDS_BY_CLASS).flatMap((fields) => [...fields.keys()]));

/** The fields of a class without its prefix; undefined for a class that the program registers. */
export function fieldsOf(agentClass: string): AgentFields | undefined {
  return Object.hasOwn(FIELDS_BY_CLASS, agentClass) ? FIELDS_BY_CLASS[agentClass] : undefined;
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
