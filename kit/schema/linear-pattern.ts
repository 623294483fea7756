import { type PatternNode, parsePattern, UnsupportedPatternError } from "./pattern-syntax.ts";

/** A text of n characters costs at most n times this many steps. */
const MAX_STATES = 2000;
const MAX_LENGTH = 10_000;
const WORD = /^\w$/;

type State =
  | { readonly kind: "character"; readonly matches: (character: string) => boolean; readonly next: number }
  | { readonly kind: "assertion"; readonly at: "start" | "end" | "boundary" | "inside"; readonly next: number }
  | { readonly kind: "fork"; readonly next: readonly number[] }
  | { readonly kind: "accept" };

/** The steps that matches may still take together. */
export interface StepBudget {
  left: number;
}

/**
 * A regular expression from an operator, the author of a definition or another server. It is matched without backtracking,
 * so that no text makes it slow: JavaScript's own engine takes minutes for some pairs of pattern and text.
 *
 * Throws `SyntaxError` for an invalid regular expression, and `UnsupportedPatternError` for lookaround, back
 * references, modifiers of groups, and patterns that are too large or too long.
 */
export class LinearPattern {
  readonly #states: State[] = [];
  readonly #start: number;
  readonly #flags: "" | "u";
  readonly #matchers = new Map<string, (character: string) => boolean>();
  /** For each state the newest position at which it was reached, counted over all texts. */
  #reachedAt = new Float64Array();
  #position = 0;

  constructor(source: string, flags: "" | "u" = "") {
    if (source.length > MAX_LENGTH) throw new UnsupportedPatternError(`more than ${MAX_LENGTH} characters`);
    new RegExp(source, flags);
    this.#flags = flags;
    const accept = this.#add({ kind: "accept" });
    this.#start = this.#compile(parsePattern(source), accept);
    this.#reachedAt = new Float64Array(this.#states.length);
  }

  /**
   * Whether the pattern matches somewhere in the text, like `RegExp.test`. Spends the budget, which is negative if it did
   * not suffice; the answer then says nothing.
   */
  test(text: string, budget: StepBudget = { left: Number.POSITIVE_INFINITY }): boolean {
    budget.left -= text.length;
    if (budget.left < 0) return false;
    const characters = this.#flags === "u" ? [...text] : text.split("");
    let active: number[] = [];
    for (let at = 0; at <= characters.length; at += 1) {
      active.push(this.#start);
      const reached = this.#follow(active, characters, at);
      if (reached === "accept") return true;
      budget.left -= reached.length;
      if (budget.left < 0) return false;
      const character = characters[at];
      if (character === undefined) return false;
      active = [];
      for (const index of reached) {
        const state = this.#states[index];
        if (state?.kind === "character" && state.matches(character)) active.push(state.next);
      }
    }
    return false;
  }

  /** The states that read a character, among those reachable without reading one. */
  #follow(from: number[], characters: readonly string[], at: number): readonly number[] | "accept" {
    const seen: number[] = [];
    this.#position += 1;
    for (let index = from.pop(); index !== undefined; index = from.pop()) {
      const state = this.#states[index];
      if (state === undefined || this.#reachedAt[index] === this.#position) continue;
      this.#reachedAt[index] = this.#position;
      seen.push(index);
      if (state.kind === "accept") return "accept";
      if (state.kind === "fork") from.push(...state.next);
      else if (state.kind === "assertion" && holds(state.at, characters, at)) from.push(state.next);
    }
    return seen;
  }

  /** The state from which the node is matched; `next` is the state after it. */
  #compile(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "character":
        return this.#add({ kind: "character", matches: this.#matcherOf(node.source), next });
      case "assertion":
        return this.#add({ kind: "assertion", at: node.at, next });
      case "sequence":
        return node.items.reduceRight((following, item) => this.#compile(item, following), next);
      case "choice":
        return this.#add({ kind: "fork", next: node.options.map((option) => this.#compile(option, next)) });
      case "repeat":
        return this.#compileRepeat(node, next);
      default:
        return node satisfies never;
    }
  }

  #compileRepeat({ item, min, max }: Extract<PatternNode, { kind: "repeat" }>, next: number): number {
    let from = next;
    let required = min;
    if (max === Number.POSITIVE_INFINITY) {
      const ways = [next];
      const fork = this.#add({ kind: "fork", next: ways });
      const again = this.#compile(item, fork);
      ways.push(again);
      // The repeated node is the required one, so nested repeats do not double the states.
      from = min === 0 ? fork : again;
      required -= 1;
    } else {
      for (let optional = min; optional < max; optional += 1) {
        from = this.#add({ kind: "fork", next: [next, this.#compile(item, from)] });
      }
    }
    for (; required > 0; required -= 1) from = this.#compile(item, from);
    return from;
  }

  #matcherOf(source: string): (character: string) => boolean {
    const known = this.#matchers.get(source);
    if (known !== undefined) return known;
    const matcher = createMatcher(source, this.#flags);
    this.#matchers.set(source, matcher);
    return matcher;
  }

  #add(state: State): number {
    if (this.#states.length === MAX_STATES) throw new UnsupportedPatternError(`more than ${MAX_STATES} states`);
    return this.#states.push(state) - 1;
  }
}

function holds(at: "start" | "end" | "boundary" | "inside", characters: readonly string[], position: number): boolean {
  if (at === "start") return position === 0;
  if (at === "end") return position === characters.length;
  const isBoundary = WORD.test(characters[position - 1] ?? "") !== WORD.test(characters[position] ?? "");
  return isBoundary === (at === "boundary");
}

/** Tests one character; the results for ASCII are precomputed. */
function createMatcher(source: string, flags: "" | "u"): (character: string) => boolean {
  const pattern = new RegExp(`^(?:${source})$`, flags);
  const ascii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
  return (character) => ascii[character.charCodeAt(0)] ?? pattern.test(character);
}
