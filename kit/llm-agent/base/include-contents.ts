/** How much of the conversation is sent to a model: all that its agent may see, or only the current turn. */
export const IncludeContents = { DEFAULT: "DEFAULT", NONE: "NONE" } as const;
export type IncludeContents = (typeof IncludeContents)[keyof typeof IncludeContents];

/** The value in lower case is the same value. */
export function toIncludeContents(given: IncludeContents | Lowercase<IncludeContents> = "DEFAULT"): IncludeContents {
  return given === IncludeContents.NONE || given === "none" ? IncludeContents.NONE : IncludeContents.DEFAULT;
}
