import { invalidArgument } from "./fairlead-error.ts";

/** A path whose values are identifiers, each percent-encoded as one segment. Throws `INVALID_IDENTIFIER`. */
export function apiPath(parts: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  return parts.reduce((path, part, index) => path + segment(ids[index - 1] ?? "") + part);
}

function segment(id: string | number): string {
  const text = String(id);
  // A URL cannot contain these as a segment: it would name another resource.
  if (text === "" || text === "." || text === "..")
    throw invalidArgument(
      "INVALID_IDENTIFIER",
      `${JSON.stringify(text)} is not an identifier: give a name with a character.`,
    );
  try {
    return encodeURIComponent(text);
  } catch {
    throw invalidArgument("INVALID_IDENTIFIER", "An identifier is not well-formed Unicode: it has half a character.");
  }
}

/** The values that are given, as a query; empty if there are none. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** 128 random bits in hexadecimal. `crypto.randomUUID` is missing on pages that are not served over HTTPS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
