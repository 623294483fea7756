import { fingerprint } from "#kit/models/fingerprint.ts";
import { freeName } from "./schemas/free-name.ts";

const MAX_ID_CHARACTERS = 20;
const ID_CHARACTERS = 16;

/**
 * Names of tools in the form that a provider takes, and back. Those that it takes stay as they are, and no other name is
 * turned into one of them.
 */
export class ToolNames {
  readonly #taken: RegExp;
  readonly #wire = new Map<string, string>();
  readonly #original = new Map<string, string>();

  constructor(declared: Iterable<string>, taken: RegExp) {
    this.#taken = taken;
    // Names that stay as they are come first: no other may be turned into one of them.
    for (const name of declared) if (taken.test(name)) this.#add(name, name);
    for (const name of declared) this.toWire(name);
  }

  /** Also for tools of the history that are not declared any more. */
  toWire(name: string): string {
    const known = this.#wire.get(name);
    if (known !== undefined) return known;
    return this.#add(
      name,
      freeName(name, this.#taken, (wire) => this.#original.has(wire)),
    );
  }

  /** A name that no tool has is returned unchanged. */
  fromWire(wire: string): string {
    return this.#original.get(wire) ?? this.#original.get(bareName(wire)) ?? wire;
  }

  #add(name: string, wire: string): string {
    this.#wire.set(name, wire);
    this.#original.set(wire, name);
    return wire;
  }
}

/**
 * The name without what models put around it: the namespace in which their provider shows them tools, and marks of
 * their own format of messages, such as `functions.look<|channel|>commentary`.
 */
function bareName(name: string): string {
  return name
    .replace(/<\|.*$/s, "")
    .trim()
    .replace(/^(default_api|functions|tools)[.:]/, "");
}

/**
 * Ids of calls in the form that a provider takes: unique in the conversation. A response has the id of the newest call
 * with its original id.
 */
export class CallIdForms {
  readonly #rule: { readonly taken: RegExp; readonly characters: number } | undefined;
  readonly #newest = new Map<string, string>();
  readonly #used = new Set<string>();

  constructor(rule: { readonly taken: RegExp; readonly characters: number } | undefined) {
    this.#rule = rule;
  }

  forCall(id: string): string {
    const isTaken = this.#rule === undefined || this.#rule.taken.test(id);
    let wire = id;
    for (let salt = 0; salt === 0 ? !isTaken || this.#used.has(wire) : this.#used.has(wire); salt += 1)
      wire = this.#hash([id, salt]);
    this.#used.add(wire);
    this.#newest.set(id, wire);
    return wire;
  }

  forResponse(id: string): string {
    return this.#newest.get(id) ?? this.forCall(id);
  }

  #hash(value: unknown): string {
    const characters = this.#rule?.characters ?? ID_CHARACTERS;
    return `call${fingerprint(value)}`.slice(-Math.min(characters, MAX_ID_CHARACTERS));
  }
}
