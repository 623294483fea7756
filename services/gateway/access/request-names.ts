/** The texts under these names in the parameters, the query or the body of a request, those of lists included. */
export function namesIn(source: unknown, names: readonly string[]): readonly string[] {
  if (typeof source !== "object" || source === null) return NONE;
  let found: string[] | undefined;
  for (const name of names) {
    // Nothing is copied, because every request is searched several times.
    const value = Object.hasOwn(source, name) ? (source as Readonly<Record<string, unknown>>)[name] : undefined;
    if (isName(value)) (found ??= []).push(value);
    else if (Array.isArray(value)) for (const item of value) if (isName(item)) (found ??= []).push(item);
  }
  return found ?? NONE;
}

const NONE: readonly string[] = [];

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The names of path parameters have one spelling. */
export const PATH_APP_NAME = ["appName"] as const;
export const PATH_USER_NAME = ["userId"] as const;
/** Both spellings, because older clients send the second. */
export const APP_NAMES = ["appName", "app_name"] as const;
export const USER_NAMES = ["userId", "user_id"] as const;
