import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { Type } from "#kit/schema/shape.ts";
import { ApplicationIntegrationToolset } from "#kit/tools/application-integration/application-integration-toolset.ts";
import type { ToolParts, ToolsetClass } from "./component-registry.ts";

const ARGS = {
  project: Type.String(),
  location: Type.String(),
  integration: Type.String(),
  triggers: Type.Array(Type.String()),
  connection: Type.String(),
  entityOperations: Type.JsonObject(),
  actions: Type.Array(Type.String()),
  serviceAccountJson: Type.String(),
  toolInstructions: Type.String(),
  timeout: Type.Number(),
  toolFilter: Type.Array(Type.String()),
  toolNamePrefix: Type.String(),
};

const SECOND = 1000;

/**
 * `serviceAccountJson` names an instance of the registry, a text with the key: a definition holds no secrets, since it is
 * shown to everybody who may edit it. Times are in seconds.
 */
export const applicationIntegrationToolset: ToolsetClass = {
  fromConfig: (args, parts) => {
    const { project, location, serviceAccountJson, entityOperations, timeout, ...options } = readArgs(args, ARGS);
    if (project === undefined || location === undefined || serviceAccountJson === undefined)
      throw new ConfigurationException('"project", "location" and "serviceAccountJson" are required.');
    return new ApplicationIntegrationToolset({
      ...options,
      ...{ project, location, serviceAccountJson: keyOf(serviceAccountJson, parts) },
      entityOperations: entityOperations && operationsOf(entityOperations),
      timeoutMs: timeout === undefined ? undefined : timeout * SECOND,
    });
  },
};

function keyOf(name: string, parts: ToolParts): string {
  const instance = parts.instance(name);
  if (typeof instance === "string") return instance;
  // Without the text, which may be the key.
  throw new ConfigurationException(
    '"serviceAccountJson" names an instance of the registry that is the text of the key; there is none of that name, and the key itself does not stand in a definition.',
  );
}

function operationsOf(given: JsonObject): Readonly<Record<string, readonly string[]>> {
  for (const [entity, names] of Object.entries(given))
    if (!isTexts(names))
      throw new ConfigurationException(`"entityOperations.${entity.slice(0, 100)}" should be a list of operations.`);
  // The line above has checked the values.
  return given as Readonly<Record<string, readonly string[]>>;
}

function isTexts(value: JsonValue | undefined): boolean {
  return !isJsonObject(value) && Array.isArray(value) && value.every((item) => typeof item === "string");
}
