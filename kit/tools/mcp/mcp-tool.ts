import type { CallToolResult, Progress, Tool } from "@modelcontextprotocol/client";
import { BaseTool, type RequireConfirmation, ToolOrigin } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { McpToolDeclarationError } from "#kit/errors/mcp-errors.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { lenientSchema } from "#kit/schema/arguments/lenient-schema.ts";
import { withoutOptionalNulls } from "#kit/schema/arguments/repaired-arguments.ts";
import { boundedSchema } from "#kit/schema/bounded-schema.ts";
import { type Schema, toSchema } from "#kit/schema/schema.ts";
import { callServer } from "./call-server.ts";
import type { McpElicitationCallback, McpQuestion } from "./mcp-question.ts";
import type { McpServer, RequestScope } from "./mcp-server.ts";
import { isRefused } from "./open-connection.ts";
import { type ResumedCall, readPause } from "./pause.ts";
import { type Sampler, sampleWithAgent } from "./sample.ts";
import type { ServerAccess } from "./sign-in/server-access.ts";
import { toToolResult } from "./tool-result.ts";
import { ProgressStream } from "./transport/progress-stream.ts";

export interface McpToolOptions {
  readonly server: McpServer;
  readonly access: ServerAccess;
  readonly definition: Tool;
  /** The tool's name for the agent. */
  readonly name: string;
  readonly scopeOf: (context: ToolContext) => RequestScope;
  readonly requireConfirmation: boolean | RequireConfirmation;
  readonly allowSampling: boolean;
  readonly elicitationCallback: McpElicitationCallback | undefined;
}

const MAX_SCHEMA_CHARACTERS = 100_000;
const MAX_DESCRIPTION_CHARACTERS = 10_000;
/** Parts of the schema times values of the result: some 100 ms. */
const MAX_CHECK_STEPS = 10_000_000;
const MAX_PROBLEM_CHARACTERS = 2000;

/** A tool of an MCP server. */
export class McpTool extends BaseTool {
  readonly #options: McpToolOptions;
  readonly #declaration: FunctionDeclaration;
  #result: ResultForm | undefined;

  /** Throws `McpToolDeclarationError`. */
  constructor(options: McpToolOptions) {
    const { definition, server, requireConfirmation, name } = options;
    const { title, inputSchema, outputSchema, description = title ?? definition.name } = definition;
    super({
      name,
      description: description.slice(0, MAX_DESCRIPTION_CHARACTERS).toWellFormed(),
      requireConfirmation,
    });
    if (definition.name === "") throw new McpToolDeclarationError(server.name, "a tool has no name.");
    const size = JSON.stringify([inputSchema, outputSchema]).length;
    if (size > MAX_SCHEMA_CHARACTERS)
      throw new McpToolDeclarationError(
        server.name,
        `the schemas of ${name} have ${size} characters, and may have ${MAX_SCHEMA_CHARACTERS}.`,
      );
    this.#options = options;
    this.#declaration = {
      name: this.name,
      description: this.description,
      // Schemas of the protocol are JSON.
      parameters: inputSchema as unknown as JsonObject,
      response: outputSchema && (outputSchema as unknown as JsonObject),
    };
  }

  override get toolOrigin(): ToolOrigin {
    return ToolOrigin.MCP;
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  /** A stream of the server's progress, whose last value is the result; null if the call waits for the user. */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const { server, definition } = this.#options;
    const resumed = await readPause(context, { server: server.name, tool: definition.name });
    if (resumed === "asked") return null;
    return new ProgressStream<Progress>((onProgress) => this.#call(args, context, { resumed, onProgress }));
  }

  async #call(
    args: JsonObject,
    context: ToolContext,
    { resumed, onProgress }: { readonly resumed: ResumedCall | undefined; readonly onProgress: OnProgress },
  ): Promise<unknown> {
    const { access } = this.#options;
    for (let isLast = false; ; isLast = true) {
      const server = await access.serverFor(context);
      try {
        if (server !== undefined) return await this.#callAt(server, args, context, { resumed, onProgress });
      } catch (error) {
        if (!isRefused(error)) throw error;
        // A call that was refused for its credential has had no effect.
        if (!isLast && (await access.replaceRefused(context))) continue;
        if (!access.canAsk(context)) throw error;
      }
      await access.ask(context);
      return null;
    }
  }

  async #callAt(
    server: McpServer,
    args: JsonObject,
    context: ToolContext,
    { resumed, onProgress }: { readonly resumed: ResumedCall | undefined; readonly onProgress: OnProgress },
  ): Promise<unknown> {
    const { definition, scopeOf, allowSampling, elicitationCallback } = this.#options;
    const scope = scopeOf(context);
    const sample: Sampler | undefined = allowSampling ? (params) => sampleWithAgent(context, params) : undefined;
    const answer = elicitationCallback && (async (question: McpQuestion) => elicitationCallback(question, context));
    const { outputSchema: _, ...toolDefinition } = definition;
    // Schemas of the protocol are JSON.
    const given = withoutOptionalNulls(args, definition.inputSchema as unknown as JsonObject);
    const params = { name: definition.name, arguments: { ...given }, _meta: { traceparent: context.traceParent } };
    const result = await callServer<CallToolResult>({
      ...{ server, tool: definition.name, context, scope, resumed, sample, answer },
      // Without the schema of its results: the SDK would refuse a result that asks for input.
      send: ({ client, requestOptions }, input, signal) =>
        client.callTool(
          { ...params, ...input },
          { ...requestOptions(signal), toolDefinition, allowInputRequired: true, onprogress: onProgress },
        ),
    });
    if (result === undefined) return null;
    return toToolResult(result, result.isError === true ? undefined : await this.#problemsOf(result));
  }

  /** What does not fit the declared schema. The model gets the result all the same, because the call has had its effect. */
  async #problemsOf({ structuredContent }: CallToolResult): Promise<string | undefined> {
    const { outputSchema } = this.#options.definition;
    if (outputSchema === undefined || structuredContent === undefined) return undefined;
    try {
      // Schemas of the protocol are JSON.
      this.#result ??= resultForm(outputSchema as unknown as JsonObject);
      const { schema, parts } = this.#result;
      if (parts * countValues(structuredContent) > MAX_CHECK_STEPS) return undefined;
      const checked = await schema.check(structuredContent);
      return checked.ok ? undefined : checked.problems.join("; ").slice(0, MAX_PROBLEM_CHARACTERS);
    } catch {
      // A schema that cannot be compiled says nothing about the result.
      return undefined;
    }
  }
}

interface ResultForm {
  readonly schema: Schema;
  readonly parts: number;
}

function resultForm(outputSchema: JsonObject): ResultForm {
  const { schema, parts } = boundedSchema(outputSchema);
  return { schema: toSchema(lenientSchema(schema)), parts };
}

/** Values in a result, which was JSON. */
function countValues(value: unknown): number {
  const open: unknown[] = [value];
  let count = 0;
  for (let next = open.pop(); count === 0 || next !== undefined; next = open.pop()) {
    count += 1;
    if (typeof next === "object" && next !== null) for (const member of Object.values(next)) open.push(member ?? 0);
  }
  return count;
}

type OnProgress = (progress: Progress) => void;
