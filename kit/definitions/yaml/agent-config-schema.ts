import type { JsonObject } from "#kit/platform/json.ts";
import { AGENT_FIELDS } from "./agent-config-fields.ts";
import { publishedSchema } from "./config-shapes.ts";

/**
 * JSON Schema of definition files, for editors: `# yaml-language-server: $schema=…`. Built from the shapes that files
 * are read by. Kinds of agents that a program registers itself are not checked.
 */
export function agentConfigSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Fairlead agent definition",
    type: "object",
    allOf: Object.keys(AGENT_FIELDS).map((kind) => ({
      if: namesKind(kind),
      then: { $ref: `#/definitions/${kind}Config` },
    })),
    definitions: Object.fromEntries(
      Object.entries(AGENT_FIELDS).map(([kind, fields]) => [`${kind}Config`, publishedSchema(fields)]),
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
