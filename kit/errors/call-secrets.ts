import { inspect } from "node:util";
import { REDACTED } from "./redact.ts";

/** A shorter value is not a secret, such as the placeholder that a local server accepts for a key. */
const MIN_SECRET_CHARACTERS = 8;
/** Names of headers and variables whose values authenticate the call; others have words such as `application/json`. */
const SECRET_NAME = /authorization|auth(?![a-z])|cookie|key|token|secret|passw|credential/i;

/** Values that change while a server is used, such as tokens: a few generations, in all their forms. */
const MAX_RECENT = 50;

/** The keys and header values that one call sends: servers, providers and proxies may quote them in their answers. */
export class CallSecrets {
  readonly #minCharacters: number;
  readonly #secrets = new Set<string>();
  /** In the order of their last use. */
  readonly #recent = new Set<string>();
  /** The longest first: one secret may be a part of another. */
  #ordered: readonly string[] | undefined;

  constructor(minCharacters = MIN_SECRET_CHARACTERS) {
    this.#minCharacters = minCharacters;
  }

  /** Adds the values, as they are and as URLs and JSON write them. */
  add(...secrets: readonly unknown[]): void {
    for (const secret of secrets) {
      if (typeof secret !== "string" || secret.length < this.#minCharacters) continue;
      for (const form of formsOf(secret)) this.#secrets.add(form);
      this.#ordered = undefined;
    }
  }

  /** Adds the values of headers, or of variables of a process, whose names show that they authenticate the call. */
  addNamed(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values))
      if (SECRET_NAME.test(name)) this.add(...partsOf(value).filter((part) => part.length >= MIN_SECRET_CHARACTERS));
  }

  /** As `addNamed`, for what a request sends: only the values that were sent last are kept. */
  addSent(headers: Headers): void {
    for (const [name, value] of headers) {
      if (!SECRET_NAME.test(name)) continue;
      for (const part of partsOf(value).filter(({ length }) => length >= MIN_SECRET_CHARACTERS)) {
        for (const form of formsOf(part)) {
          if (!this.#recent.delete(form)) this.#ordered = undefined;
          this.#recent.add(form);
        }
      }
    }
    for (const oldest of this.#recent) {
      if (this.#recent.size <= MAX_RECENT) break;
      this.#recent.delete(oldest);
      this.#ordered = undefined;
    }
  }

  redact(text: string): string {
    this.#ordered ??= [...this.#secrets, ...this.#recent].toSorted((one, other) => other.length - one.length);
    // Most names and many texts of an answer are shorter than any secret.
    if (text.length < (this.#ordered.at(-1)?.length ?? 0)) return text;
    let clean = text;
    for (const secret of this.#ordered) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  }

  /**
   * Redacts all texts and names of a parsed JSON value in place, except the members of the given name; true if there
   * was any.
   */
  redactJson(value: object, except?: string): boolean {
    if (this.#secrets.size + this.#recent.size === 0) return false;
    let isChanged = false;
    // Without recursion: a server decides the depth.
    const open: object[] = [value];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!Array.isArray(next) && this.#redactNames(next)) isChanged = true;
      for (const [name, member] of Object.entries(next)) {
        if (typeof member === "string" && name !== except) {
          const clean = this.redact(member);
          if (clean === member) continue;
          Object.assign(next, { [name]: clean });
          isChanged = true;
        } else if (typeof member === "object" && member !== null) open.push(member);
      }
    }
    return isChanged;
  }

  /** Keeps the order of the members. */
  #redactNames(value: object): boolean {
    const members = Object.entries(value);
    if (members.every(([name]) => this.redact(name) === name)) return false;
    for (const [name] of members) Reflect.deleteProperty(value, name);
    const attributes = { configurable: true, enumerable: true, writable: true };
    for (const [name, member] of members)
      Object.defineProperty(value, this.redact(name), { ...attributes, value: member });
    return true;
  }

  /**
   * The error unchanged, or if it contains a secret anywhere, an error with only its name, text and stack, redacted.
   */
  redactError(error: unknown): unknown {
    const shown = inspect(error, { depth: 8, maxStringLength: null, maxArrayLength: null });
    if (this.redact(shown) === shown) return error;
    const { name, message, stack = "" } = error instanceof Error ? error : new Error(shown);
    const clean = new Error(this.redact(message));
    clean.name = name;
    clean.stack = this.redact(stack);
    return clean;
  }
}

function formsOf(secret: string): readonly string[] {
  // Half of a pair of surrogates has no form in a URL.
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
}

/** The value, and the credential in it: after the scheme, in a pair of user and password, and in a cookie. */
function partsOf(value: string): readonly string[] {
  const [, scheme = "", credential = ""] = /^(\S+) +(\S+)$/.exec(value) ?? [];
  const pair = scheme.toLowerCase() === "basic" ? Buffer.from(credential, "base64").toString("utf8") : "";
  const cookies = value.split(";").map((cookie) => cookie.slice(cookie.indexOf("=") + 1).trim());
  const parts = [credential, pair, pair.slice(pair.indexOf(":") + 1), ...(value.includes("=") ? cookies : [])];
  // A scheme and a short word are not secret.
  return scheme !== "" && credential.length < MIN_SECRET_CHARACTERS ? [] : [value, ...parts];
}
