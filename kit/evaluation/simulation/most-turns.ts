/** The most messages of a simulated user in one conversation, if its config names no limit. */
export const DEFAULT_MOST_TURNS = 20;
