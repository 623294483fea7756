import type { BaseTool } from "#kit/core/base-tool.ts";
import { BaseToolset, type ToolsetOptions } from "#kit/core/base-toolset.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { OpenApiDocument } from "./open-api-document.ts";
import { RestApiTool, type RestApiToolOptions } from "./rest-api-tool.ts";
import { operationsOf } from "./rest-operation.ts";
import { serverAddress } from "./server-address.ts";

/** Options of an `OpenApiToolset`. */
export interface OpenApiToolsetOptions extends ToolsetOptions, Omit<RestApiToolOptions, "trustedOrigin"> {
  /** The description: an object, or a text in JSON or YAML. OpenAPI 3.0 or 3.1; references stay within it. */
  readonly spec: string | JsonObject;
  /** The address of the API, in place of the servers that the description names. */
  readonly baseUrl?: string;
}

/**
 * The operations of an HTTP API as tools, from its OpenAPI description. Requests go through the runner's `outbound`. A
 * description that cannot be used fails the first run with `INVALID_FIELD`.
 */
export class OpenApiToolset extends BaseToolset {
  readonly #tools: () => Promise<readonly BaseTool[]>;

  constructor({ spec, baseUrl, toolFilter, toolNamePrefix, ...shared }: OpenApiToolsetOptions) {
    super({ ...(toolFilter !== undefined && { toolFilter }), ...(toolNamePrefix !== undefined && { toolNamePrefix }) });
    this.#tools = lazy(async () => {
      const document = await OpenApiDocument.read(spec);
      const operations = operationsOf(document, baseUrl);
      // Paths and operations may name servers of their own: credentials are for the server of the whole description.
      const trustedOrigin = serverAddress(document.root["servers"], baseUrl).origin;
      return operations.map((operation) => new RestApiTool(operation, { ...shared, trustedOrigin }));
    });
  }

  protected override loadTools(): Promise<readonly BaseTool[]> {
    return this.#tools();
  }
}
