import type { BaseAgent } from "#kit/core/base-agent.ts";
import type { BaseTool, Toolset } from "#kit/core/base-tool.ts";
import type { AgentRefConfig, BaseAgentConfig, ToolConfig } from "#kit/definitions/yaml/agent-config.ts";
import type { Position } from "#kit/definitions/yaml/config-node.ts";
import type { Reading } from "#kit/definitions/yaml/reading.ts";
import { ToolArgsConfig } from "#kit/definitions/yaml/tool-args-config.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import type { ComponentRegistry, ToolParts } from "./component-registry.ts";

export interface ToolBuild {
  readonly registry: ComponentRegistry;
  readonly reading: Reading;
  readonly agent: (ref: AgentRefConfig, at: Position | undefined) => Promise<BaseAgent | undefined>;
  readonly file: ToolParts["file"];
}

/** The tools that a definition names. Those that cannot be built are problems of the reading. */
export async function buildTools(config: BaseAgentConfig, build: ToolBuild): Promise<readonly (BaseTool | Toolset)[]> {
  const built: (BaseTool | Toolset)[] = [];
  for (const tool of toolsOf(config)) {
    if (tool.name === undefined) continue;
    const found = await buildTool(tool, build);
    if (found !== undefined) built.push(found);
  }
  return built;
}

function toolsOf(config: BaseAgentConfig): readonly ToolConfig[] {
  if (!("tools" in config) || !Array.isArray(config.tools)) return [];
  // Every table of fields that has `tools` reads it as references to tools.
  return config.tools as readonly ToolConfig[];
}

/** A toolset comes first, then a registered tool, then a class of tools that is built from arguments. */
async function buildTool(tool: ToolConfig, build: ToolBuild): Promise<BaseTool | Toolset | undefined> {
  const { registry, reading } = build;
  const at = reading.placeOf(tool, "name");
  const made = registry.toolsetClasses.get(tool.name);
  if (made !== undefined) return make(made, tool, build);
  const ready = registry.toolInstances.get(tool.name);
  if (ready !== undefined) {
    if (tool.args === undefined || tool.args.isEmpty()) return ready;
    return refuse(reading, `The tool "${tool.name}" takes no args here.`, reading.placeOf(tool, "args"));
  }
  const toolClass = registry.toolClasses.get(tool.name);
  if (toolClass !== undefined) return make(toolClass, tool, build);
  const known = [registry.toolInstances, registry.toolClasses, registry.toolsetClasses].flatMap((table) =>
    table.names(),
  );
  return refuse(reading, `No tool "${tool.name}" is registered${suggestion(tool.name, known) || "."}`, at);
}

async function make<Made extends BaseTool | Toolset>(
  maker: { fromConfig(args: ToolArgsConfig, parts: ToolParts): Made | Promise<Made> },
  tool: ToolConfig,
  build: ToolBuild,
): Promise<Made | undefined> {
  const { reading, registry } = build;
  const at = reading.placeOf(tool, tool.args === undefined ? "name" : "args");
  const before = reading.problems.count;
  try {
    return await maker.fromConfig(tool.args ?? new ToolArgsConfig(), {
      tool: (name) => registry.toolInstances.get(name),
      instance: (name) => registry.instances.get(name),
      file: build.file,
      agent: async (ref) => {
        const agent = await build.agent(ref, at);
        if (agent === undefined) throw new ConfigurationException("its agent cannot be built.");
        return agent;
      },
    });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (reading.problems.count > before) return undefined;
    return refuse(reading, `The tool "${tool.name}" cannot be built: ${error.message}`, at);
  }
}

function refuse(reading: Reading, message: string, at: Position | undefined): undefined {
  reading.problems.add(message, at);
  return undefined;
}
