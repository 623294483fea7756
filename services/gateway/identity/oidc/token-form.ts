import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { invalidCredentials } from "../refusals.ts";
import { hasRepeatedMember } from "./repeated-member.ts";

/** Longer ones are not read: headers of requests have a limit of this size in all. */
const MAX_TOKEN_LENGTH = 16 * 1024;
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Members of a header by which a token would choose its own key, or rules that are not known here. */
const REFUSED_MEMBERS = ["jku", "jwk", "x5u", "x5c", "crit", "b64", "zip"] as const;

/** A token before its signature is checked: nothing of it may be believed. */
export interface UncheckedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** Throws `UNAUTHENTICATED` for a text that is not a signed token, or one that could be read in two ways. */
export function readToken(token: string): UncheckedToken {
  if (token.length > MAX_TOKEN_LENGTH) throw invalidCredentials("The token is too long.");
  if (!FORM.test(token)) throw invalidCredentials("The token is not a signed JSON Web Token.");
  const [header = "", claims = ""] = token.split(".");
  const unchecked = { header: partOf(header, "header"), claims: partOf(claims, "content") };
  const member = REFUSED_MEMBERS.find((name) => Object.hasOwn(unchecked.header, name));
  if (member !== undefined) throw invalidCredentials(`The token's header has ${member}, which is not accepted.`);
  return unchecked;
}

function partOf(text: string, name: string): JsonObject {
  const json = Buffer.from(text, "base64url").toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalidCredentials(`The token's ${name} is not JSON.`, error);
  }
  if (!isJsonObject(value)) throw invalidCredentials(`The token's ${name} is not a JSON object.`);
  if (hasRepeatedMember(json)) throw invalidCredentials(`The token's ${name} has a member twice.`);
  return value;
}
