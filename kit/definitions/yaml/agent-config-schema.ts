import type { JsonObject } from "#kit/platform/json.ts";
import type { BaseAgentConfig } from "./agent-config.ts";
import { BASE_AGENT_FIELDS, LLM_AGENT_FIELDS, LOOP_AGENT_FIELDS } from "./agent-config-fields.ts";
import type { ConfigFields } from "./config-field.ts";
import { fieldsSchema } from "./config-fields.ts";

const KINDS: Readonly<Record<string, ConfigFields<BaseAgentConfig>>> = {
  LlmAgent: LLM_AGENT_FIELDS,
  SequentialAgent: BASE_AGENT_FIELDS,
  ParallelAgent: BASE_AGENT_FIELDS,
  LoopAgent: LOOP_AGENT_FIELDS,
};

/**
 * JSON Schema of definition files, for editors: `# yaml-language-server: $schema=…`. Built from the tables that files
 * are read with. Kinds of agents that a program registers itself are not checked.
 */
export function agentConfigSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Agentplane agent definition",
    type: "object",
    allOf: Object.keys(KINDS).map((kind) => ({
      if: namesKind(kind),
      then: { $ref: `#/definitions/${kind}Config` },
    })),
    definitions: Object.fromEntries(
      Object.entries(KINDS).map(([kind, fields]) => [`${kind}Config`, fieldsSchema(fields)]),
    ),
  };
}

/** An LLM agent is the default and needs no name. */
function namesKind(kind: string): JsonObject {
  const pattern = `^((com\\.)?google\\.adk\\.agents\\.)?${kind}$`;
  const named = ["agentClass", "agent_class"].map((key) => ({
    required: [key],
    properties: { [key]: { type: "string", pattern } },
  }));
  const unnamed = { not: { anyOf: [{ required: ["agentClass"] }, { required: ["agent_class"] }] } };
  return { anyOf: kind === "LlmAgent" ? [...named, unnamed] : named };
}
