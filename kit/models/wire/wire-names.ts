import { fingerprint } from "#kit/models/fingerprint.ts";

const MAX_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/**
 * Names of tools in the form that a provider takes, and back. A name that it does not take is shortened and ends with a
 * hash of the whole name, so that it is the same in each request, and different names stay different.
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
    if (this.#taken.test(name)) return this.#add(name, name);
    let wire = shortened(name, 0);
    for (let salt = 1; this.#original.has(wire); salt += 1) wire = shortened(name, salt);
    return this.#add(name, wire);
  }

  /** A name that no tool has is returned unchanged. */
  fromWire(wire: string): string {
    return this.#original.get(wire) ?? wire;
  }

  #add(name: string, wire: string): string {
    this.#wire.set(name, wire);
    this.#original.set(wire, name);
    return wire;
  }
}

function shortened(name: string, salt: number): string {
  const letters = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const start = (/^[A-Za-z_]/.test(letters) ? letters : `t_${letters}`).slice(0, MAX_CHARACTERS - HASH_CHARACTERS - 1);
  return `${start}_${fingerprint([name, salt]).slice(0, HASH_CHARACTERS)}`;
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
    const characters = this.#rule?.characters ?? 2 * HASH_CHARACTERS;
    return `call${fingerprint(value)}`.slice(-Math.min(characters, 20));
  }
}
