import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/**
 * The address of the first server with http or https of the first list that has servers, its variables replaced by
 * their defaults. A base address replaces all that the description names. Throws `INVALID_FIELD` if there is none.
 */
export function serverAddress(lists: readonly (JsonValue | undefined)[], baseUrl: string | undefined): URL {
  const servers = lists.find((list) => Array.isArray(list) && list.length > 0);
  const given = baseUrl === undefined ? addressesOf(servers) : [baseUrl];
  const url = given
    .map((address) => URL.parse(address))
    .find((parsed) => parsed?.protocol === "https:" || parsed?.protocol === "http:");
  if (url !== undefined && url !== null) return url;
  throw new PlatformError(
    "INVALID_FIELD",
    baseUrl === undefined
      ? "The OpenAPI description names no server with an http or https address. Give the toolset a baseUrl."
      : "baseUrl should be an address with http:// or https://.",
    { details: { field: "baseUrl" } },
  );
}

function addressesOf(servers: JsonValue | undefined): readonly string[] {
  return (Array.isArray(servers) ? servers : []).filter(isJsonObject).map(({ url, variables }: JsonObject) => {
    const address = typeof url === "string" ? url : "";
    // An address without a scheme is that of https, as it is written in many descriptions.
    return withDefaults(address.startsWith("//") ? `https:${address}` : address, variables);
  });
}

function withDefaults(url: string, variables: JsonValue | undefined): string {
  return url.slice(0, 2000).replaceAll(/\{([^{}]*)\}/g, (whole: string, name: string) => {
    const variable = isJsonObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    const { default: usual, enum: choices }: JsonObject = isJsonObject(variable) ? variable : {};
    const value = usual ?? (Array.isArray(choices) ? choices[0] : undefined);
    return typeof value === "string" || typeof value === "number" ? `${value}` : whole;
  });
}
