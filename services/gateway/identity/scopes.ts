/** What a caller may be allowed to do. Each route of the HTTP interface needs one of these, or none. */
export const SCOPES = [
  "runs:write",
  "sessions:read",
  "sessions:write",
  "artifacts",
  "memory",
  "credentials",
  "evals",
  "apps:edit",
  "app-state:write",
  "ops",
  "users:all",
] as const;

export type Scope = (typeof SCOPES)[number];

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

export function isScope(text: string): text is Scope {
  return KNOWN.has(text);
}
