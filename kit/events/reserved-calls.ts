/** Prefix of the calls with which the framework asks the user; no model and no client may make such calls. */
const RESERVED_PREFIX = "adk_request_";

/** Asks the user whether a call may run. */
export const CONFIRMATION_CALL = "adk_request_confirmation";

/** Asks for data that a tool needs. */
export const INPUT_CALL = "adk_request_input";

export function isReservedCall(name: string | undefined): boolean {
  return name?.startsWith(RESERVED_PREFIX) === true;
}

/** Prefix of ids that the framework assigns to calls whose model assigned none. */
export const CALL_ID_PREFIX = "adk-";
