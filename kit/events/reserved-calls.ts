/** Names of the calls by which the framework itself asks the person something; no model and no client may make them. */
const RESERVED_PREFIX = "adk_request_";

/** Asks the user whether a call may run. */
export const CONFIRMATION_CALL = "adk_request_confirmation";

export function isReservedCall(name: string | undefined): boolean {
  return name?.startsWith(RESERVED_PREFIX) === true;
}

/** Ids that the framework gave to calls whose model gave none. */
export const CALL_ID_PREFIX = "adk-";
