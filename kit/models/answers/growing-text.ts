/** Fewer pieces, or a shorter text, may be repeated by chance. */
const MIN_PIECES = 3;
const MIN_CHARACTERS = 4;

/**
 * The pieces of a text whose server may repeat in each chunk what it has said before, as DashScope does by default, or
 * may say the whole text once more at the end, as MiniMax does.
 */
export class GrowingText {
  #all = "";
  #pieces = 0;
  /** The second piece, until the third one shows whether it was the text so far or a piece of its own. */
  #held = "";
  #form: "unknown" | "pieces" | "text so far" = "unknown";

  /** What a chunk adds. */
  add(text: string, { isLast = false }: { readonly isLast?: boolean } = {}): string {
    if (text === "") return "";
    this.#pieces += 1;
    if (this.#form === "text so far" && text.startsWith(this.#all)) return this.#grow(text);
    if (this.#held !== "") return this.#decide(text);
    if (this.#form === "unknown" && this.#pieces === 2 && isGrown(this.#all, text)) {
      this.#held = text;
      return "";
    }
    if (this.#pieces > 1) this.#form = "pieces";
    const isRepeated = isLast && this.#pieces > MIN_PIECES && text === this.#all;
    return isRepeated ? "" : this.#append(text);
  }

  /** What the whole text so far, as a server states it, adds to the pieces. */
  addWhole(text: string): string {
    if (text === "") return "";
    const held = this.end();
    if (!text.startsWith(this.#all)) return held + this.add(text);
    this.#pieces += 1;
    this.#form = "text so far";
    return held + this.#grow(text);
  }

  /** What was held back. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    if (held === "") return "";
    return this.#all.length >= MIN_CHARACTERS ? this.#grow(held) : this.#append(held);
  }

  #decide(text: string): string {
    const held = this.#held;
    this.#held = "";
    if (text.startsWith(held)) {
      this.#form = "text so far";
      return this.#grow(text);
    }
    this.#form = "pieces";
    return this.#append(held + text);
  }

  #grow(text: string): string {
    const added = text.slice(this.#all.length);
    this.#all = text;
    return added;
  }

  #append(text: string): string {
    this.#all += text;
    return text;
  }
}

/** Whether the text begins with the one before, and is not that one again and again. */
function isGrown(before: string, text: string): boolean {
  if (text.length <= before.length || !text.startsWith(before)) return false;
  return text !== before.repeat(Math.ceil(text.length / before.length)).slice(0, text.length);
}
