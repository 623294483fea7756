import type { JsonSchemaSource } from "#kit/schema/schema.ts";
import { toSchema } from "#kit/schema/schema.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { JsonObject } from "../platform/json.ts";
import { FunctionTool, type FunctionToolOptions } from "./function-tool.ts";

/** The options of a `FunctionTool` that a function and its schema leave open. */
export type ToolSettings<Parameters extends JsonSchemaSource> = Partial<
  Omit<FunctionToolOptions<Parameters>, "execute" | "parameters">
>;

/**
 * Makes a tool of a function: `tools: [tool(getWeather, z.object({ city: z.string() }))]`. The tool has the function's
 * name. Its description is the setting, or else the schema's own (`.describe("…")`), or else the words of the name.
 *
 * Throws `INVALID_FIELD` for a function without a name, and for one that takes arguments and has no schema of them.
 */
export function tool<Parameters extends JsonSchemaSource = JsonObject>(
  execute: FunctionToolOptions<Parameters>["execute"],
  parameters?: Parameters,
  settings: ToolSettings<Parameters> = {},
): FunctionTool<Parameters> {
  if (typeof execute !== "function")
    throw new PlatformError("INVALID_FIELD", "tool() needs a function first, as in tool(getWeather, z.object({ … })).");
  const name = settings.name ?? execute.name;
  if (name === "") {
    throw new PlatformError(
      "INVALID_FIELD",
      'tool() needs a function with a name: name the function, or give one, as in tool(call, schema, { name: "…" }).',
    );
  }
  if (parameters === undefined && execute.length > 0) {
    throw new PlatformError(
      "INVALID_FIELD",
      `The function "${name}" takes arguments: give their schema, as in tool(${name}, z.object({ … })).`,
    );
  }
  const description = settings.description ?? describedBy(parameters) ?? wordsOf(name);
  return new FunctionTool<Parameters>({ ...settings, name, description, execute, parameters: parameters || undefined });
}

function describedBy(parameters: JsonSchemaSource | undefined): string | undefined {
  if (parameters === undefined) return undefined;
  const { description } = toSchema(parameters).jsonSchema;
  return typeof description === "string" && description !== "" ? description : undefined;
}

/** `getWeather` and `get_weather` are "Get weather." */
function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/[_$.-]+/g, " ")
    .trim()
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
