import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { ToolParts } from "./component-registry.ts";

/** The function that an argument names among the instances of the registry. Throws for any other instance. */
export function functionOf(argument: string, name: string, parts: Pick<ToolParts, "instance">): unknown {
  const instance = parts.instance(name);
  if (typeof instance === "function") return instance;
  throw new ConfigurationException(`"${argument}": no function "${name}" is registered as an instance.`);
}

/** The object that an argument names among the instances of the registry. Throws for any other instance. */
export function objectOf(argument: string, name: string, parts: Pick<ToolParts, "instance">): object {
  const instance = parts.instance(name);
  if (typeof instance === "object" && instance !== null) return instance;
  throw new ConfigurationException(`"${argument}": no object "${name}" is registered as an instance.`);
}
