import type { ReadResourceResult } from "@modelcontextprotocol/client";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { ToolResult } from "#kit/core/context/tool-result.ts";
import { callServer } from "./call-server.ts";
import { LOAD_RESOURCE } from "./load-mcp-resource-tool.ts";
import type { McpElicitationCallback } from "./mcp-question.ts";
import type { McpServer, RequestScope } from "./mcp-server.ts";
import type { ResumedCall } from "./pause.ts";
import { sampleWithAgent } from "./sample.ts";
import { toResourceResult } from "./tool-result.ts";

export interface ResourceLoad {
  readonly server: McpServer;
  readonly scope: RequestScope;
  readonly context: ToolContext;
  readonly uri: string;
  readonly resumed: ResumedCall | undefined;
  readonly allowSampling: boolean;
  readonly elicitationCallback: McpElicitationCallback | undefined;
}

/** Reads a resource for the model. Undefined if the server asks the user for data: the question has been asked then. */
export async function loadResource(load: ResourceLoad): Promise<ToolResult | undefined> {
  const { server, scope, context, uri, resumed, allowSampling, elicitationCallback } = load;
  const result = await callServer<ReadResourceResult>({
    ...{ server, tool: LOAD_RESOURCE, resource: uri, context, scope, resumed },
    sample: allowSampling ? (params) => sampleWithAgent(context, params) : undefined,
    answer: elicitationCallback && (async (question) => elicitationCallback(question, context)),
    send: ({ client, requestOptions }, input, signal) =>
      client.readResource(
        { uri, ...input },
        { ...requestOptions(signal), cacheMode: "refresh", allowInputRequired: true },
      ),
  });
  return result && toResourceResult(result);
}
