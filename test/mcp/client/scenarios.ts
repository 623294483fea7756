import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";

/** A call of the scripted model. */
export interface ScenarioCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** What the scripted model calls in a scenario, by the tools that it was given and by the scenario's own data. */
export type Scenario = (tools: readonly FunctionDeclaration[], context: JsonObject) => readonly ScenarioCall[];

const each: Scenario = (tools) => tools.map(({ name }) => ({ name, args: {} }));

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  initialize: () => [],
  tools_call: () => [{ name: "add_numbers", args: { a: 2, b: 3 } }],
  "elicitation-sep1034-client-defaults": each,
  "sse-retry": each,
  "request-metadata": each,
  "sep-2322-client-request-state": each,
  "http-standard-headers": each,
  "http-custom-headers": (_, { toolCalls }) =>
    Array.isArray(toolCalls)
      ? toolCalls.filter(isJsonObject).map((call) => {
          const { name, arguments: args } = call;
          return { name: String(name), args: isJsonObject(args) ? args : {} };
        })
      : [],
  "http-invalid-tool-headers": each,
  "json-schema-ref-no-deref": () => [],
  "json-schema-2020-12-preservation": (tools) => {
    const echo = tools.find(
      ({ parameters }) => isJsonObject(parameters?.["properties"]) && "schema" in parameters["properties"],
    );
    const focal = tools.find((tool) => tool !== echo);
    return echo === undefined ? [] : [{ name: echo.name, args: { schema: focal?.parameters ?? {} } }];
  },
};

/** Sign-in is tested by any call. Throws for a scenario without a script. */
export function scenarioOf(name: string): Scenario {
  const scenario = name.startsWith("auth/") ? each : SCENARIOS[name];
  if (scenario === undefined) throw new Error(`There is no script for the scenario "${name}".`);
  return scenario;
}

/** Reads what the toolset offers beside tools, for scenarios about requests of every kind. */
export async function readAll(toolset: McpToolset, context: ReadonlyContext): Promise<void> {
  for (const { uri } of await toolset.listResources(context)) await toolset.readResource(uri, context);
  for (const { name, arguments: args = [] } of await toolset.listPrompts(context))
    await toolset.getPrompt(name, Object.fromEntries(args.map((argument) => [argument.name, "x"])), context);
}
