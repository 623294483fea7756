import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/**
 * The address of the first server, its variables replaced by their defaults. A base address replaces all
 * that the description names. Throws `INVALID_FIELD` if there is no http or https address.
 */
export function serverAddress(servers: JsonValue | undefined, baseUrl: string | undefined): URL {
  const first: JsonValue | undefined = Array.isArray(servers) ? servers[0] : undefined;
  const server: JsonObject = isJsonObject(first) ? first : {};
  const given = baseUrl ?? withDefaults(typeof server["url"] === "string" ? server["url"] : "", server["variables"]);
  const url = URL.parse(given);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new PlatformError(
      "INVALID_FIELD",
      baseUrl === undefined
        ? "The OpenAPI description names no server with an http or https address. Give the toolset a baseUrl."
        : "baseUrl should be an address with http:// or https://.",
      { details: { field: "baseUrl" } },
    );
  }
  return url;
}

function withDefaults(url: string, variables: JsonValue | undefined): string {
  return url.slice(0, 2000).replaceAll(/\{([^{}]*)\}/g, (whole: string, name: string) => {
    const variable = isJsonObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const value = isJsonObject(variable) ? variable["default"] : undefined;
    return typeof value === "string" ? value : whole;
  });
}
