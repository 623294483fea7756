/** Under which the kit's tools are known: by themselves, and as ADK files name them. */
export const TOOL_PREFIXES = ["", "google.adk.tools.", "com.google.adk.tools."] as const;
