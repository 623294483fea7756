import { TOOL_PREFIXES } from "#kit/definitions/yaml/tool-prefixes.ts";
import {
  BuiltInCodeExecutionTool,
  EnterpriseWebSearchTool,
  GoogleMapsGroundingTool,
  GoogleSearchTool,
} from "#kit/tools/model-tools/gemini-tools.ts";
import { applicationIntegrationToolset } from "./application-integration-toolset-class.ts";
import type { ComponentRegistry } from "./component-registry.ts";
import { mcpToolset } from "./mcp-toolset-class.ts";
import { vertexAiSearchTool, vertexRagRetrievalTool } from "./model-tool-classes.ts";
import { openApiToolset } from "./open-api-toolset-class.ts";

/** Registers the tools that run inside models, or at a provider, and toolsets of servers. */
export function registerAdditionalComponents(registry: ComponentRegistry): ComponentRegistry {
  const { toolClasses, toolInstances, toolsetClasses } = registry;
  const enterprise = new EnterpriseWebSearchTool();
  const instances = {
    google_search: new GoogleSearchTool(),
    google_maps_grounding: new GoogleMapsGroundingTool(),
    enterprise_web_search: enterprise,
    enterprise_web_search_tool: enterprise,
    code_execution: new BuiltInCodeExecutionTool(),
  };
  for (const prefix of TOOL_PREFIXES) {
    for (const [name, tool] of Object.entries(instances)) toolInstances.register(prefix + name, tool);
    toolClasses
      .register(`${prefix}VertexAiSearchTool`, vertexAiSearchTool)
      .register(`${prefix}VertexAiRagRetrieval`, vertexRagRetrievalTool);
    for (const name of ["McpToolset", "McpAsyncToolset", "MCPToolset"])
      toolsetClasses.register(prefix + name, mcpToolset);
    for (const name of ["OpenApiToolset", "OpenAPIToolset"]) toolsetClasses.register(prefix + name, openApiToolset);
    toolsetClasses.register(`${prefix}ApplicationIntegrationToolset`, applicationIntegrationToolset);
  }
  return registry;
}
