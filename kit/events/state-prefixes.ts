/** Shared by all users of the app. */
export const APP_PREFIX = "app:";
/** Shared by all sessions of one user in the app. */
export const USER_PREFIX = "user:";
/** Lives for one invocation and never reaches a store. */
export const TEMP_PREFIX = "temp:";

/** What other servers of the family write for a removed key; accepted as null, never written. */
export const REMOVED_SENTINEL = "__ADK_SENTINEL_REMOVED__";

/** Sessions that an evaluation makes for itself: their ids begin like this, and lists leave them out. */
export const EVALUATION_SESSION_PREFIX = "___eval___session___";
