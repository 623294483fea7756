/** The texts under these names in the parameters, the query or the body of a request, those of lists included. */
export function namesIn(source: unknown, ...names: readonly string[]): readonly string[] {
  if (typeof source !== "object" || source === null) return [];
  const values: Readonly<Record<string, unknown>> = { ...source };
  return names
    .flatMap((name) => values[name])
    .filter((value): value is string => typeof value === "string" && value !== "");
}

/** Both spellings, because older clients send the second. */
export const APP_NAMES = ["appName", "app_name"] as const;
export const USER_NAMES = ["userId", "user_id"] as const;
