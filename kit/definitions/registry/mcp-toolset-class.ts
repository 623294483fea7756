import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { issueText } from "#kit/schema/read-json.ts";
import { type Shape, Type } from "#kit/schema/shape.ts";
import { readValue } from "#kit/schema/shape-reader.ts";
import type { McpConnectionParams } from "#kit/tools/mcp/connection-params.ts";
import { type McpHeaderProvider, McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";
import type { ToolsetClass } from "./component-registry.ts";
import { functionOf } from "./named-instances.ts";

const ARGS = {
  stdioConnectionParams: Type.JsonObject(),
  stdioServerParams: Type.JsonObject(),
  sseConnectionParams: Type.JsonObject(),
  streamableHttpConnectionParams: Type.JsonObject(),
  toolFilter: Type.Array(Type.String()),
  toolNamePrefix: Type.String(),
  requireConfirmation: Type.Boolean(),
  useMcpResources: Type.Boolean(),
  allowSampling: Type.Boolean(),
  toolListCacheTtlSeconds: Type.Integer({ minimum: 0 }),
  headerProvider: Type.String(),
};

/** `headerProvider` names a function among the instances of the registry. Times are in seconds, as in ADK files. */
export const mcpToolset: ToolsetClass = {
  fromConfig: (args, parts) => {
    const { toolListCacheTtlSeconds, headerProvider, ...rest } = readArgs(args, ARGS);
    const {
      stdioConnectionParams,
      stdioServerParams,
      sseConnectionParams,
      streamableHttpConnectionParams,
      ...options
    } = rest;
    const given = [
      stdioConnectionParams && stdioParams(stdioConnectionParams),
      stdioServerParams && stdioParams({ serverParams: stdioServerParams }),
      sseConnectionParams && httpParams("sse", sseConnectionParams),
      streamableHttpConnectionParams && httpParams("streamable-http", streamableHttpConnectionParams),
    ].filter((params) => params !== undefined);
    const [connectionParams] = given;
    if (connectionParams === undefined || given.length > 1) {
      throw new ConfigurationException(
        'there should be one of "stdioConnectionParams", "sseConnectionParams" and "streamableHttpConnectionParams".',
      );
    }
    return new McpToolset({
      ...options,
      connectionParams,
      listTtlMs: toolListCacheTtlSeconds === undefined ? undefined : toolListCacheTtlSeconds * SECOND,
      headerProvider:
        headerProvider === undefined
          ? undefined
          : (functionOf("headerProvider", headerProvider, parts) as McpHeaderProvider),
    });
  },
};

const SECOND = 1000;
const SECONDS = Type.Optional(Type.Number());
const TEXTS = Type.Optional(Type.Map(Type.String()));
const SERVER = Type.Object(
  {
    command: Type.String(),
    args: Type.Optional(Type.Array(Type.String())),
    env: TEXTS,
    cwd: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
const STDIO = Type.Object(
  { serverParams: SERVER, timeout: SECONDS, readTimeout: SECONDS },
  { additionalProperties: false },
);
const HTTP = Type.Object(
  {
    ...{ url: Type.String(), headers: TEXTS, timeout: SECONDS, sseReadTimeout: SECONDS },
    terminateOnClose: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

function stdioParams(given: JsonObject): McpConnectionParams {
  const { serverParams, timeout, readTimeout } = readMap("stdioConnectionParams", given, STDIO);
  return { kind: "stdio", ...serverParams, ...limits(timeout, readTimeout) };
}

function httpParams(kind: "sse" | "streamable-http", given: JsonObject): McpConnectionParams {
  const name = kind === "sse" ? "sseConnectionParams" : "streamableHttpConnectionParams";
  const { url, headers, timeout, sseReadTimeout, terminateOnClose } = readMap(name, given, HTTP);
  return {
    ...{ kind, url, ...limits(timeout, sseReadTimeout) },
    headers,
    terminateOnClose: kind === "streamable-http" && terminateOnClose !== undefined ? terminateOnClose : undefined,
  };
}

function limits(timeout: number | undefined, readTimeout: number | undefined) {
  return {
    timeoutMs: timeout === undefined ? undefined : timeout * SECOND,
    readTimeoutMs: readTimeout === undefined ? undefined : readTimeout * SECOND,
  };
}

function readMap<Value>(name: string, value: JsonObject, shape: Shape<Value>): Value {
  const result = readValue(shape, value, { oneSpelling: true, maxIssues: 1 });
  if (result.ok) return result.value;
  const [issue] = result.issues;
  const path = [name, ...(issue?.path ?? [])].join(".");
  throw new ConfigurationException(`"${path}" ${issue === undefined ? "is wrong" : issueText(issue)}.`);
}
