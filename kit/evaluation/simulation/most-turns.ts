/** Messages of a played user in one conversation, if its config names no limit. */
export const DEFAULT_MOST_TURNS = 20;
