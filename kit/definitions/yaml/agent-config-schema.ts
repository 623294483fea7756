import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { AGENT_FIELDS } from "./agent-fields.ts";
import { publishedSchema } from "./config-shapes.ts";
import { PLANNER_AGENT_FIELDS, PLANNER_FIELDS } from "./planner-config-fields.ts";

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
    definitions: {
      ...Object.fromEntries(
        Object.entries(AGENT_FIELDS).map(([kind, fields]) => [`${kind}Config`, publishedSchema(fields)]),
      ),
      PlannerAgentConfig: withPlannerArgs(publishedSchema(PLANNER_AGENT_FIELDS)),
    },
  };
}

/** The `args` of a planner of the kit have its fields; those of planners that a program registers are not checked. */
function withPlannerArgs(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const planner = isJsonObject(properties["planner"]) ? properties["planner"] : {};
  const conditions = Object.entries(PLANNER_FIELDS).map(([name, fields]): JsonObject => {
    const needsArgs = fields?.required !== undefined && fields.required.length > 0;
    return {
      if: { required: ["name"], properties: { name: { const: name } } },
      then: present({
        properties: { args: fields === undefined ? { type: "object", maxProperties: 0 } : publishedSchema(fields) },
        required: needsArgs ? ["args"] : undefined,
      }),
    };
  });
  const allOf = Array.isArray(planner["allOf"]) ? planner["allOf"] : [];
  return { ...schema, properties: { ...properties, planner: { ...planner, allOf: [...allOf, ...conditions] } } };
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
