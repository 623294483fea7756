/** Member names of persisted documents. Stores of documents use these and no others for what they name. */
export const APP_NAME_KEY = "appName";
export const AUTHOR_KEY = "author";
export const ID_KEY = "id";
export const MODEL_KEY = "model";
export const STATE_KEY = "state";
export const TIMESTAMP_KEY = "timestamp";
export const UPDATE_TIME_KEY = "updateTime";
export const USER_KEY = "user";
export const USER_ID_KEY = "userId";

/** Collection of the state that all users of an app share. */
export const APP_STATE_COLLECTION = "app-state";
/** Sub-collection of a session that holds its events. */
export const EVENTS_SUBCOLLECTION_NAME = "user-event";
