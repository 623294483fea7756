/** Member names of persisted documents. Stores of documents use these and no others for what they name. */
export const APP_NAME_KEY = "appName";
/** Field of an event: the agent that wrote it, or `user`. */
export const AUTHOR_KEY = "author";
/** Field of the id of a session or an event. */
export const ID_KEY = "id";
/** The role in the content of a stored event that an agent or its model has written. */
export const MODEL_KEY = "model";
/** Field of a session's state. */
export const STATE_KEY = "state";
/** Field of the time of an event. */
export const TIMESTAMP_KEY = "timestamp";
/** Field of the time of a session's newest change. */
export const UPDATE_TIME_KEY = "updateTime";
/** The role in the content of a stored event that the user, or a tool for the model, has written. */
export const USER_KEY = "user";
/** Field of the user's id in a session. */
export const USER_ID_KEY = "userId";

/** Collection of the state that all users of an app share. */
export const APP_STATE_COLLECTION = "app-state";
/** Sub-collection of a session that holds its events. */
export const EVENTS_SUBCOLLECTION_NAME = "user-event";
