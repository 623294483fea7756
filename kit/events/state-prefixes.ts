/** Shared by all users of the app. */
export const APP_PREFIX = "app:";
/** Shared by all sessions of one user in the app. */
export const USER_PREFIX = "user:";
/** Lasts for one invocation and is never stored. */
export const TEMP_PREFIX = "temp:";

/** Other ADK servers write this for a removed key; it is read as null and never written. */
export const REMOVED_SENTINEL = "__ADK_SENTINEL_REMOVED__";

/** Prefix of the ids of sessions that an evaluation creates for itself; lists leave them out. */
export const EVALUATION_SESSION_PREFIX = "___eval___session___";
