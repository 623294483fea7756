/** Prefix of the calls with which the framework asks the user; no model and no client may make such calls. */
const RESERVED_PREFIX = "adk_request_";

/** Asks the user whether a call may run. */
export const CONFIRMATION_CALL = "adk_request_confirmation";

/** Asks for data that a tool needs. */
export const INPUT_CALL = "adk_request_input";

export function isReservedCall(name: string | undefined): boolean {
  return name?.startsWith(RESERVED_PREFIX) === true;
}

/** The framework's own tools, whose calls it acts on. */
const FRAMEWORK_TOOLS: ReadonlySet<string> = new Set(["transfer_to_agent", "set_model_response"]);

/** Whether a tool of this name would be taken for the framework's own. */
export function isFrameworkName(name: string): boolean {
  return isReservedCall(name) || FRAMEWORK_TOOLS.has(name);
}

/** Prefix of ids that the framework assigns to calls whose model assigned none. */
export const CALL_ID_PREFIX = "adk-";
