/** The syntax tree of a regular expression that can be matched in linear time. */
export type PatternNode =
  /** `source` matches one character; it is a regular expression itself. */
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "assertion"; readonly at: "start" | "end" | "boundary" | "inside" }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly options: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly item: PatternNode; readonly min: number; readonly max: number };

/** The pattern is valid but uses a feature that needs backtracking. */
export class UnsupportedPatternError extends Error {
  override readonly name = "UnsupportedPatternError";
}

/** Each level of nested groups is a recursive call. */
const MAX_DEPTH = 50;

const ASSERTIONS: ReadonlyMap<string, PatternNode> = new Map([
  ["^", { kind: "assertion", at: "start" }],
  ["$", { kind: "assertion", at: "end" }],
  ["\\b", { kind: "assertion", at: "boundary" }],
  ["\\B", { kind: "assertion", at: "inside" }],
]);

const SHORT_REPEATS: ReadonlyMap<string, readonly [min: number, max: number]> = new Map([
  ["*", [0, Number.POSITIVE_INFINITY]],
  ["+", [1, Number.POSITIVE_INFINITY]],
  ["?", [0, 1]],
]);

/**
 * Parses a valid regular expression. Throws `UnsupportedPatternError` for lookaround, back references and modifiers.
 */
export function parsePattern(source: string): PatternNode {
  return new Parser(source).choice();
}

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#take("|")) options.push(this.#sequence());
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "choice", options };
  }

  #sequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#source.length && !this.#isNext("|") && !this.#isNext(")")) items.push(this.#term());
    return { kind: "sequence", items };
  }

  #term(): PatternNode {
    for (const [text, assertion] of ASSERTIONS) if (this.#take(text)) return assertion;
    const item = this.#take("(") ? this.#group() : this.#character();
    const range = this.#repeat();
    if (range === undefined) return item;
    // A lazy quantifier matches the same texts.
    this.#take("?");
    return { kind: "repeat", item, min: range[0], max: range[1] };
  }

  #group(): PatternNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new UnsupportedPatternError(`groups more than ${MAX_DEPTH} deep`);
    if (!this.#take("?:")) {
      if (/^\?(?:<?[=!])/.test(this.#rest(3))) throw new UnsupportedPatternError("lookahead and lookbehind");
      if (this.#take("?<")) this.#at = this.#source.indexOf(">", this.#at) + 1;
      else if (this.#isNext("?")) throw new UnsupportedPatternError("modifiers of groups");
    }
    const inner = this.choice();
    this.#take(")");
    this.#depth -= 1;
    return inner;
  }

  #character(): PatternNode {
    const from = this.#at;
    if (this.#isNext("[")) this.#skipClass();
    else if (this.#isNext("\\")) this.#skipEscape();
    else this.#at += String.fromCodePoint(this.#source.codePointAt(from) ?? 0).length;
    return { kind: "character", source: this.#source.slice(from, this.#at) };
  }

  #skipClass(): void {
    this.#at += 1;
    while (!this.#isNext("]")) this.#at += this.#isNext("\\") ? 2 : 1;
    this.#at += 1;
  }

  #skipEscape(): void {
    if (/^\\[1-9k]/.test(this.#rest(2))) throw new UnsupportedPatternError("back references");
    const escape = /^\\(?:[pPu]\{[^}]{1,100}\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])/u.exec(this.#rest(110));
    this.#at += escape?.[0].length ?? 1;
  }

  #repeat(): readonly [min: number, max: number] | undefined {
    for (const [text, range] of SHORT_REPEATS) if (this.#take(text)) return range;
    const counted = /^\{(\d{1,9})(,?)(\d{0,9})\}/.exec(this.#rest(24));
    if (counted === null) return undefined;
    this.#at += counted[0].length;
    const min = Number(counted[1]);
    if (counted[2] === "") return [min, min];
    return [min, counted[3] === "" ? Number.POSITIVE_INFINITY : Number(counted[3])];
  }

  #isNext(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#isNext(text)) return false;
    this.#at += text.length;
    return true;
  }

  #rest(length: number): string {
    return this.#source.slice(this.#at, this.#at + length);
  }
}
