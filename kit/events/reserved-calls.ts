import { isJsonObject } from "../platform/json.ts";
import type { FunctionCall } from "./content.ts";

/** Prefix of the calls with which the framework asks the user; no model and no client may make such calls. */
const RESERVED_PREFIX = "adk_request_";

/** Asks the user whether a call may run. */
export const CONFIRMATION_CALL = "adk_request_confirmation";

/** Asks for data that a tool needs. */
export const INPUT_CALL = "adk_request_input";

/** Asks the user to sign in, or to give a key, for a tool. */
export const CREDENTIAL_CALL = "adk_request_credential";

export function isReservedCall(name: string | undefined): boolean {
  return name?.startsWith(RESERVED_PREFIX) === true;
}

/** The id of the call that a question of the framework is about; undefined for other calls. */
export function askedCallId({ name, args }: FunctionCall): string | undefined {
  if (!isReservedCall(name)) return undefined;
  const original = args?.["originalFunctionCall"];
  const id = isJsonObject(original) ? original["id"] : args?.["functionCallId"];
  return typeof id === "string" ? id : undefined;
}

/** The framework's own tools, whose calls it acts on. */
const FRAMEWORK_TOOLS: ReadonlySet<string> = new Set(["transfer_to_agent", "set_model_response"]);

/** Whether a tool of this name would be taken for the framework's own. */
export function isFrameworkName(name: string): boolean {
  return isReservedCall(name) || FRAMEWORK_TOOLS.has(name);
}

/** Prefix of ids that the framework assigns to calls whose model assigned none. */
export const CALL_ID_PREFIX = "adk-";
