import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { Type } from "#kit/schema/shape.ts";
import { OpenApiToolset, type OpenApiToolsetOptions } from "#kit/tools/openapi/open-api-toolset.ts";
import type { ToolParts, ToolsetClass } from "./component-registry.ts";
import { functionOf, objectOf } from "./named-instances.ts";

const ARGS = {
  specFile: Type.String(),
  specStr: Type.String(),
  specStrType: Type.String(),
  specDict: Type.JsonObject(),
  baseUrl: Type.String(),
  authScheme: Type.String(),
  authCredential: Type.String(),
  headerProvider: Type.String(),
  timeout: Type.Number(),
  toolFilter: Type.Array(Type.String()),
  toolNamePrefix: Type.String(),
};

const SECOND = 1000;

/**
 * The description is a file of the app's folder, a text or a map. How the server authenticates calls is named: those
 * are instances of the registry, since definitions are shown to everybody who may edit them. Times are in seconds.
 */
export const openApiToolset: ToolsetClass = {
  fromConfig: async (args, parts) => {
    const given = readArgs(args, ARGS);
    const { baseUrl, timeout, toolFilter, toolNamePrefix, authScheme, authCredential, headerProvider } = given;
    if ((authScheme === undefined) !== (authCredential === undefined))
      throw new ConfigurationException('"authScheme" and "authCredential" are given together.');
    const { source, spec } = await specOf(given, parts);
    const toolset = new OpenApiToolset({
      spec,
      baseUrl,
      timeoutMs: timeout === undefined ? undefined : timeout * SECOND,
      toolFilter,
      toolNamePrefix,
      authScheme: authScheme === undefined ? undefined : objectOf("authScheme", authScheme, parts),
      authCredential: authCredential === undefined ? undefined : objectOf("authCredential", authCredential, parts),
      headerProvider: headerProvider === undefined ? undefined : functionOf("headerProvider", headerProvider, parts),
    } as OpenApiToolsetOptions);
    try {
      await toolset.readDescription();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new ConfigurationException(`"${source}": ${error.message}`, error);
    }
    return toolset;
  },
};

interface GivenSpec {
  readonly specFile?: string | undefined;
  readonly specStr?: string | undefined;
  readonly specStrType?: string | undefined;
  readonly specDict?: JsonObject | undefined;
}

interface FoundSpec {
  /** The argument, or the file. */
  readonly source: string;
  readonly spec: string | JsonObject;
}

async function specOf({ specFile, specStr, specStrType, specDict }: GivenSpec, parts: ToolParts): Promise<FoundSpec> {
  const given = Object.entries({ specFile, specStr, specDict }).filter(([, value]) => value !== undefined);
  if (given.length !== 1)
    throw new ConfigurationException('there should be one of "specFile", "specStr" and "specDict".');
  if (specStrType !== undefined && specStrType !== "json" && specStrType !== "yaml")
    throw new ConfigurationException('"specStrType" should be json or yaml; both are recognised without it.');
  if (specFile !== undefined) return { source: specFile, spec: await parts.file(specFile) };
  if (specStr !== undefined) return { source: "specStr", spec: specStr };
  return { source: "specDict", spec: specDict ?? {} };
}
