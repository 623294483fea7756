import { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { McpServer } from "../mcp-server.ts";
import { isRefused } from "../open-connection.ts";
import type { ServerAccess } from "./server-access.ts";

interface SignInToolOptions {
  readonly serverName: string;
  readonly access: ServerAccess;
  /** Reads the server's tools; throws if the server refuses the user. */
  readonly list: (server: McpServer, context: ToolContext) => Promise<readonly BaseTool[]>;
}

/** Stands for the tools of a server that lists them only to users who have signed in. */
export class SignInTool extends BaseTool {
  readonly #options: SignInToolOptions;

  constructor(options: SignInToolOptions) {
    const { serverName } = options;
    const name = serverName
      .replace(/^https?:\/\//, "")
      .replaceAll(/\W+/g, "_")
      .slice(0, 50);
    super({
      name: `sign_in_to_${name}`,
      description: `Asks the user to sign in to ${serverName}. Call it when its tools are needed; they are there afterwards.`,
      idempotent: true,
    });
    this.#options = options;
  }

  override getDeclaration(): FunctionDeclaration {
    return { name: this.name, description: this.description };
  }

  override async runAsync(_args: JsonObject, context: ToolContext): Promise<unknown> {
    const { access, list, serverName } = this.#options;
    const server = await access.serverFor(context);
    if (server !== undefined) {
      try {
        const tools = await list(server, context);
        return { status: "signed in", server: serverName, tools: tools.map(({ name }) => name) };
      } catch (error) {
        if (!isRefused(error) || !access.canAsk(context)) throw error;
      }
    }
    await access.ask(context);
    return null;
  }
}
