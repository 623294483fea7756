/** Calls of one answer that run at once; the rest wait for their turn. */
export const MAX_PARALLEL_CALLS = 64;

/** Calls of one answer that run at all. The model is told so about the ones behind them. */
export const MAX_CALLS_PER_ANSWER = 1000;

/** Size of one response as JSON. More than this is over the context of any model. */
export const MAX_RESPONSE_CHARACTERS = 1_000_000;

/** Size of all responses to one answer: they are stored as one event, and stores have limits of a few MB. */
export const MAX_ROUND_CHARACTERS = 2_000_000;

/** Levels of objects and lists in a response. */
export const MAX_RESPONSE_DEPTH = 200;

/** Length of what is quoted of an error, or of arguments that cannot be read. */
export const MAX_ERROR_CHARACTERS = 4000;
