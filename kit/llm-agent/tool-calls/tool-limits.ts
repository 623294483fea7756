/** Calls of one answer that run at the same time; the rest wait. */
export const MAX_PARALLEL_CALLS = 64;

/** Calls of one answer that are run. Calls after them get a response that they did not run. */
export const MAX_CALLS_PER_ANSWER = 1000;

/** Size of one response as JSON. A larger one exceeds the context of any model. */
export const MAX_RESPONSE_CHARACTERS = 1_000_000;

/** Size of all responses to one answer: they are stored as one event, and stores have limits of a few MB. */
export const MAX_ROUND_CHARACTERS = 2_000_000;

/** Levels of objects and lists in a response. */
export const MAX_RESPONSE_DEPTH = 200;

/** Length of a quoted error, or of quoted arguments that cannot be read. */
export const MAX_ERROR_CHARACTERS = 4000;
