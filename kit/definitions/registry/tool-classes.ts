import type { AgentRefConfig } from "#kit/definitions/yaml/agent-config.ts";
import { oneOf } from "#kit/definitions/yaml/config-shapes.ts";
import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { Content } from "#kit/events/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { Type } from "#kit/schema/shape.ts";
import { AgentTool, AgentToolArtifacts, AgentToolState } from "#kit/tools/agent-tool.ts";
import { ExampleTool } from "#kit/tools/example-tool.ts";
import type { BaseExampleProvider, Example } from "#kit/tools/format-examples.ts";
import { LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import type { ToolClass, ToolParts } from "./component-registry.ts";

const AGENT_TOOL_ARGS = {
  agent: Type.JsonObject(),
  skipSummarization: Type.Boolean(),
  includePlugins: Type.Boolean(),
  streamChunks: Type.Boolean(),
  state: oneOf(Object.values(AgentToolState)),
  artifacts: oneOf(Object.values(AgentToolArtifacts)),
};

/** `agent` refers to the agent as `subAgents` do. */
export const agentTool: ToolClass = {
  fromConfig: async (args, parts) => {
    const { agent, ...options } = readArgs(args, AGENT_TOOL_ARGS);
    return new AgentTool({ ...options, agent: await parts.agent(agentRefOf(agent)) });
  },
};

/** `func` names a tool of the registry, which then answers later. */
export const longRunningFunctionTool: ToolClass = {
  fromConfig: (args, parts) => {
    const func = args.getOrEmpty("func", "string");
    const tool = func === undefined ? undefined : parts.tool(func);
    if (tool === undefined) throw new ConfigurationException('"func" should name a tool of the component registry.');
    const { name, description } = tool;
    const parameters = tool.getDeclaration()?.parameters;
    return new LongRunningFunctionTool({
      name,
      description,
      parameters,
      execute: (values, context) => tool.runAsync(values, context),
    });
  },
};

/** `examples` is a list of `input` and `output`, or names a provider of the registry. */
export const exampleTool: ToolClass = {
  fromConfig: (args, parts) => {
    const examples =
      args.getOrEmpty("examples", "list")?.map(toExample) ?? providerOf(args.getOrDefault("examples", ""), parts);
    return new ExampleTool({ examples });
  },
};

function agentRefOf(ref: JsonObject | undefined): AgentRefConfig {
  const { configPath, config_path: snake, code, ...rest } = ref ?? {};
  const path = configPath ?? snake;
  const given = [path, code].filter((value) => typeof value === "string");
  if (given.length !== 1 || Object.keys(rest).length > 0) {
    throw new ConfigurationException('"agent" should have either "configPath" or "code", as text.');
  }
  if (typeof path === "string") return { configPath: path };
  return typeof code === "string" ? { code } : {};
}

function providerOf(name: string, parts: ToolParts): BaseExampleProvider {
  const provider = parts.instance(name);
  if (isProvider(provider)) return provider;
  throw new ConfigurationException(
    name === ""
      ? '"examples" should be a list of input and output, or name a provider of the component registry.'
      : `no provider of examples "${name}" is registered.`,
  );
}

function isProvider(value: unknown): value is BaseExampleProvider {
  return typeof value === "object" && value !== null && "getExamples" in value;
}

function toExample(value: JsonValue, index: number): Example {
  const where = `examples[${index}]`;
  if (!isJsonObject(value)) throw new ConfigurationException(`${where} should be a map of input and output.`);
  const { input, output } = value;
  const outputs = Array.isArray(output) ? output : [output];
  return {
    input: toContent(input, "user", `${where}.input`),
    output: outputs.map((content) => toContent(content, "model", `${where}.output`)),
  };
}

/** A text is short for a content of one part. */
function toContent(value: JsonValue | undefined, role: string, where: string): Content {
  if (typeof value === "string") return { role, parts: [{ text: value }] };
  if (isJsonObject(value) && Array.isArray(value["parts"]) && value["parts"].every(isJsonObject)) {
    // Parts are objects with open members; unknown members are passed on.
    return { role, ...value } as Content;
  }
  throw new ConfigurationException(`${where} should be a text, or a map with a list of parts.`);
}
