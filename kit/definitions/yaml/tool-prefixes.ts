/** The prefixes of the kit's tools: none, and those in ADK files. */
export const TOOL_PREFIXES = ["", "google.adk.tools.", "com.google.adk.tools."] as const;
