import type { Part } from "#kit/events/content.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { parseArguments } from "./call-arguments.ts";

/** The member of a call part's `partMetadata` with the reason why its arguments could not be read. */
const UNREADABLE_ARGUMENTS = "unreadableArguments";

/** How much of unreadable arguments is quoted to the model. */
const MAX_QUOTE_CHARACTERS = 500;

/**
 * The part for a call whose arguments are JSON text. If they cannot be read, the part is still a call, with a mark: it
 * keeps its place in the history, and the model gets the problem as the call's response.
 */
export function toCallPart(call: { readonly id: string; readonly name: string; readonly json: string }): Part {
  const { id, name, json } = call;
  const named = id === "" ? { name } : { id, name };
  try {
    return { functionCall: { ...named, args: parseArguments(name, json) } };
  } catch (error) {
    const problem = `${error instanceof Error ? error.message : String(error)}. They were: ${quoted(json)}`;
    return { functionCall: { ...named, args: {} }, partMetadata: { [UNREADABLE_ARGUMENTS]: problem } };
  }
}

/**
 * The part unchanged, or marked if its arguments are not an object: third-party adapters can return values that do not
 * match the type.
 */
export function withReadableArguments(part: Part): Part {
  const { functionCall, partMetadata } = part;
  const args: unknown = functionCall?.args;
  if (functionCall === undefined || args === undefined || isJsonObject(args)) return part;
  const { args: _, ...call } = functionCall;
  if (typeof args === "string") return withParsedArguments(part, args);
  if (args === null) return { ...part, functionCall: call };
  const kind = Array.isArray(args) ? "a list" : `a ${typeof args}`;
  const problem = `The arguments are ${kind}, not an object. They were: ${quoted(JSON.stringify(args) ?? String(args))}`;
  return { ...part, functionCall: call, partMetadata: { ...partMetadata, [UNREADABLE_ARGUMENTS]: problem } };
}

/** Gateways to Gemini write the arguments as text, as the other protocols do. */
function withParsedArguments(part: Part, json: string): Part {
  const { id = "", name = "" } = part.functionCall ?? {};
  const { functionCall, partMetadata } = toCallPart({ id, name, json });
  const marks = { ...part.partMetadata, ...partMetadata };
  return {
    ...part,
    functionCall: { ...part.functionCall, ...functionCall },
    ...(partMetadata !== undefined && { partMetadata: marks }),
  };
}

/** Why the call's arguments could not be read; undefined if they could. */
export function unreadableArguments({ partMetadata }: Part): string | undefined {
  const problem = partMetadata?.[UNREADABLE_ARGUMENTS];
  return typeof problem === "string" ? problem : undefined;
}

function quoted(json: string): string {
  if (json.length <= MAX_QUOTE_CHARACTERS) return json;
  return `${json.slice(0, MAX_QUOTE_CHARACTERS).toWellFormed()}… (${json.length} characters)`;
}
