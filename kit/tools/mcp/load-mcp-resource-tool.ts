import { BaseTool, type ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { ToolResult } from "#kit/core/context/tool-result.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { ResumedCall } from "./pause.ts";

interface ResourceReader {
  readonly list: (context: ToolContext) => Promise<readonly { readonly name: string; readonly uri: string }[]>;
  /** The user's answer to a question of an earlier call; `"asked"` if it did not fit and the user was asked again. */
  readonly resume: (context: ToolContext) => Promise<ResumedCall | "asked" | undefined>;
  /** Undefined if the server asks the user for data: the question has been asked then. */
  readonly load: (
    uri: string,
    context: ToolContext,
    resumed: ResumedCall | undefined,
  ) => Promise<ToolResult | undefined>;
  /** Throws if the server asks the user for data. */
  readonly read: (uri: string, context: ToolContext) => Promise<ToolResult>;
}

export const LOAD_RESOURCE = "load_mcp_resource";

const MAX_NAMES_AT_A_TIME = 20;
/** Resources that the instructions name; the others can be loaded by their address. */
const MAX_LISTED = 200;
const MAX_NAME_CHARACTERS = 200;
const DECLARATION: FunctionDeclaration = {
  name: LOAD_RESOURCE,
  description: "Loads resources of the MCP server by their names or addresses.",
  parameters: {
    type: "object",
    properties: { resource_names: { type: "array", items: { type: "string" }, description: "Names or addresses." } },
    required: ["resource_names"],
  },
};

/** Names a server's resources to the model, and loads those that it asks for. */
export class LoadMcpResourceTool extends BaseTool {
  readonly #reader: ResourceReader;

  constructor(reader: ResourceReader) {
    super({ name: DECLARATION.name, description: DECLARATION.description ?? "", idempotent: true });
    this.#reader = reader;
  }

  override getDeclaration(): FunctionDeclaration {
    return DECLARATION;
  }

  override async processLlmRequest(context: ToolContext, request: ToolLlmRequest): Promise<void> {
    await super.processLlmRequest(context, request);
    const resources = await this.#reader.list(context);
    if (resources.length === 0) return;
    const names = resources.slice(0, MAX_LISTED).map(({ name }) => name.slice(0, MAX_NAME_CHARACTERS).toWellFormed());
    request.appendInstructions(
      `An MCP server has these resources, by name:\n${JSON.stringify(names)}\nCall load_mcp_resource before you answer ` +
        "anything about their contents.",
    );
  }

  /**
   * Each resource under its name, with an error for one that cannot be read. Null if a resource waits for the user: its
   * answer reads all of them again, and no other one can ask then.
   */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const resumed = await this.#reader.resume(context);
    if (resumed === "asked") return null;
    const names = Array.isArray(args["resource_names"]) ? args["resource_names"].map(String) : [];
    const known = await this.#reader.list(context);
    const media: ToolResult["media"][number][] = [];
    const resources: object[] = [];
    for (const name of names.slice(0, MAX_NAMES_AT_A_TIME)) {
      const uri = known.find((resource) => resource.name === name)?.uri ?? name;
      try {
        const mayAsk = resumed === undefined || resumed.pause.resource === uri;
        const loaded = await (mayAsk ? this.#reader.load(uri, context, resumed) : this.#reader.read(uri, context));
        if (loaded === undefined) return null;
        media.push(...loaded.media);
        resources.push({ name, ...(loaded.response as object) });
      } catch (error) {
        context.signal.throwIfAborted();
        resources.push({ name, error: error instanceof Error ? error.message : String(error) });
      }
    }
    return new ToolResult({ response: { resources }, media });
  }
}
