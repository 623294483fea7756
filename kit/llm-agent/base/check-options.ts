import { PlatformError } from "#kit/errors/platform-error.ts";
import { suggestion } from "#kit/schema/suggest.ts";

/** The options that are checked. In plain JavaScript they can have any value. */
interface CheckedOptions {
  readonly name: string;
  readonly model?: unknown;
  readonly fallbackModels?: unknown;
  readonly instruction?: unknown;
  readonly globalInstruction?: unknown;
  readonly tools?: unknown;
}

/** Throws `INVALID_FIELD` for an option that does not exist: without types, a misspelt one would have no effect. */
export function refuseUnknownOptions(options: CheckedOptions, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const hint = suggestion(name, known) || `. Options: ${known.join(", ")}.`;
    throw invalid(options, `there is not an option "${name}"${hint}`);
  }
}

/**
 * Throws `INVALID_FIELD` for values that types would refuse, so that an agent without types fails when it is created and
 * not in its first run.
 */
export function checkLlmAgentOptions(options: CheckedOptions): void {
  const { model, tools = [] } = options;
  if (model !== undefined && typeof model !== "string" && !hasMethod(model, "generateContentAsync")) {
    throw invalid(options, `model is ${describe(model)}: give the name of a model, or a model.`);
  }
  const { fallbackModels = [] } = options;
  if (!Array.isArray(fallbackModels) || !fallbackModels.every(isModelOrName))
    throw invalid(options, "fallbackModels must be a list of models, and of names of models.");
  if (fallbackModels.length > 0 && model === undefined)
    throw invalid(options, "fallbackModels need a model on the same agent: give model.");
  for (const name of ["instruction", "globalInstruction"] as const) {
    const given = options[name];
    if (given === undefined || typeof given === "string" || typeof given === "function" || isInstruction(given))
      continue;
    throw invalid(options, `${name} is ${describe(given)}: give a text, or a function that returns one.`);
  }
  if (!Array.isArray(tools))
    throw invalid(options, `tools is ${describe(tools)}: give a list, as in tools: [rollDice].`);
  tools.forEach((tool: unknown, index) => {
    if (hasMethod(tool, "processLlmRequest") || hasMethod(tool, "getTools")) return;
    throw invalid(options, `tools[${index}] is ${describe(tool)}: ${fixOf(tool)}`);
  });
}

function isModelOrName(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || hasMethod(value, "generateContentAsync");
}

function fixOf(tool: unknown): string {
  if (hasMethod(tool, "runAsync"))
    return "make it an AgentTool, as in new AgentTool({ agent }), or list it in subAgents.";
  const name = typeof tool === "function" && tool.name !== "" ? tool.name : "call";
  if (typeof tool === "function") return `make it a tool, as in tool(${name}, z.object({ … })).`;
  return "make it a tool, as in new FunctionTool({ name, description, parameters, execute }).";
}

function isInstruction(given: unknown): boolean {
  return typeof given === "object" && given !== null && "kind" in given;
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
}

function describe(value: unknown): string {
  if (typeof value === "function") return value.name === "" ? "a function" : `the function "${value.name}"`;
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a text";
  if (typeof value !== "object") return `the ${typeof value} ${String(value)}`;
  const name: unknown = Reflect.get(value, "name");
  return hasMethod(value, "runAsync") && typeof name === "string" ? `the agent "${name}"` : "an object of another kind";
}

function invalid({ name }: CheckedOptions, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `Agent "${name}": ${problem}`);
}
