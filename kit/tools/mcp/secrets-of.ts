import { CallSecrets } from "#kit/errors/call-secrets.ts";
import type { McpConnectionParams, McpHeaders } from "./connection-params.ts";

/**
 * The secrets that a server is given and may quote: the user's credential, and values whose names show that they are
 * credentials, in headers, in the query of an address, and in the variables and arguments of a program.
 */
export function secretsOf(params: McpConnectionParams, headers: McpHeaders, credential: McpHeaders = {}): CallSecrets {
  const secrets = new CallSecrets();
  secrets.addNamed(headers);
  if (params.kind === "stdio") {
    secrets.addNamed(params.env ?? {});
    secrets.addNamed(flagsOf(params.args ?? []));
  } else secrets.addNamed(Object.fromEntries(new URL(params.url).searchParams));
  for (const value of Object.values(credential)) secrets.add(value, value.replace(/^\S+ /, ""));
  return secrets;
}

/** The values of `--name=value` and `--name value`. */
function flagsOf(args: readonly string[]): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {};
  for (const [index, argument] of args.entries()) {
    if (!argument.startsWith("-")) continue;
    const [name = "", ...rest] = argument.split("=");
    const value = rest.length > 0 ? rest.join("=") : args[index + 1];
    if (value !== undefined && !(rest.length === 0 && value.startsWith("-"))) flags[name] = value;
  }
  return flags;
}
