import type { BaseTool } from "#kit/core/base-tool.ts";
import { BaseToolset, type ToolsetOptions } from "#kit/core/base-toolset.ts";
import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { lazy } from "#kit/platform/lazy.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { OpenApiDocument } from "./open-api-document.ts";
import { RestApiTool, type RestApiToolOptions } from "./rest-api-tool.ts";
import { operationsOf, type RestOperations } from "./rest-operation.ts";
import { serverAddress } from "./server-address.ts";

/** Options of an `OpenApiToolset`. */
export interface OpenApiToolsetOptions extends ToolsetOptions, Omit<RestApiToolOptions, "trustedOrigin"> {
  /**
   * The description: an object, or a text in JSON or YAML. OpenAPI 3.0 to 3.2, or Swagger 2.0; references stay within
   * it.
   */
  readonly spec: string | JsonObject;
  /** The address of the API, instead of the servers that the description names. */
  readonly baseUrl?: string;
}

/**
 * The operations of an HTTP API as tools, from its OpenAPI description. Requests go through the runner's `outbound`. An
 * operation that cannot be a tool is left out with a warning; a description that cannot be used fails the first run
 * with `INVALID_FIELD`.
 */
export class OpenApiToolset extends BaseToolset {
  readonly #read: () => Promise<RestOperations & { readonly tools: readonly BaseTool[] }>;
  #hasWarned = false;

  /** Throws `INVALID_FIELD` for a `baseUrl` or `timeoutMs` that cannot be used. */
  constructor({ spec, baseUrl, toolFilter, toolNamePrefix, ...shared }: OpenApiToolsetOptions) {
    super({ toolFilter, toolNamePrefix });
    check(baseUrl, shared.timeoutMs);
    this.#read = lazy(async () => {
      const document = await OpenApiDocument.read(spec);
      const found = operationsOf(document, baseUrl);
      const trustedOrigin = trustedOriginOf(document, baseUrl, shared);
      const tools = found.operations.map((operation) => new RestApiTool(operation, { ...shared, trustedOrigin }));
      return { ...found, tools };
    });
  }

  /** Reads the description before the first run does. Throws `INVALID_FIELD`. */
  async readDescription(): Promise<void> {
    await this.#read();
  }

  protected override async loadTools({ invocationContext }: ReadonlyContext): Promise<readonly BaseTool[]> {
    const { tools, leftOut } = await this.#read();
    if (!this.#hasWarned) warnOfLeftOut(leftOut, invocationContext.services.logger);
    this.#hasWarned = true;
    return tools;
  }
}

/** One warning for each operation that is not a tool. */
export function warnOfLeftOut(leftOut: RestOperations["leftOut"], logger: Logger): void {
  for (const { operation, problem } of leftOut) logger.warn({ operation, problem }, "OpenAPI operation left out");
}

function check(baseUrl: string | undefined, timeoutMs: number | undefined): void {
  if (baseUrl !== undefined) serverAddress([], baseUrl);
  if (timeoutMs === undefined || (Number.isSafeInteger(timeoutMs) && timeoutMs > 0)) return;
  throw new PlatformError("INVALID_FIELD", "timeoutMs must be a whole number of milliseconds above 0.", {
    details: { field: "timeoutMs" },
  });
}

/** Paths and operations may name servers of their own: credentials are for the server of the whole description. */
function trustedOriginOf(
  { root }: OpenApiDocument,
  baseUrl: string | undefined,
  { authScheme, headerProvider }: Pick<RestApiToolOptions, "authScheme" | "headerProvider">,
): string {
  if (authScheme === undefined && headerProvider === undefined) return "";
  return serverAddress([root["servers"]], baseUrl).origin;
}
