import { expect } from "vitest";

/** Has a known shape: it must be in no output, the log included. */
export const KEY = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY";
/** Has no known shape, as a path or the name of a table: it is in the log, and not in answers. */
export const PLACE = "private-place-7f3a";
/** The text of a foreign exception, with both. */
export const TEXT = `cannot read /srv/${PLACE}/keys.json with AWS_SECRET_ACCESS_KEY=${KEY} of postgres://ada:${KEY}@db/app`;

/** As database clients throw them: other properties repeat the text, and some have the names of ours. */
export function foreignError(): Error {
  const properties = { code: 7, statusCode: 404, reason: TEXT, details: { text: TEXT }, logDetail: TEXT };
  return Object.assign(new Error(TEXT, { cause: new Error(TEXT) }), properties);
}

/** Fails if a client's answer contains a part of the text. */
export function expectNothingOf(text: string, name: string): void {
  expect(text, name).not.toContain(KEY);
  expect(text, name).not.toContain(PLACE);
}
