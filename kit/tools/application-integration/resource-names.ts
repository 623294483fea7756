import { PlatformError } from "#kit/errors/platform-error.ts";

/** A location of Google Cloud; its name is part of host names. */
const LOCATION = /^[a-z][a-z0-9-]{0,62}$/;
/** Domain-scoped projects have the form `example.com:name`. */
const PROJECT = /^[a-z0-9][a-z0-9.:-]{0,127}$/;
const RESOURCE = /^[A-Za-z0-9_][\w.-]{0,127}$/;

const FORMS = { project: PROJECT, location: LOCATION, connection: RESOURCE, integration: RESOURCE } as const;

/** Names become parts of addresses that get the credentials. Throws `INVALID_FIELD` for one that is not a name. */
export function checkResourceNames(names: { readonly [Key in keyof typeof FORMS]?: string | undefined }): void {
  for (const [field, form] of Object.entries(FORMS)) {
    const name = names[field as keyof typeof FORMS];
    if (name === undefined || (typeof name === "string" && form.test(name))) continue;
    throw invalidOption(field, "must be the name of a resource of Google Cloud, not its path");
  }
}

/** Throws `INVALID_FIELD` for a list that is empty or has blank names. */
export function checkNames(field: string, names: readonly string[]): void {
  if (names.length === 0 || names.some((name) => typeof name !== "string" || name.trim() === ""))
    throw invalidOption(field, "must be a list of at least one name, and no name may be blank");
}

export function invalidOption(field: string, problem: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `Application integration: \`${field}\` ${problem}.`, {
    details: { field },
  });
}
