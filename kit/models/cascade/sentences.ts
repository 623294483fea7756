/** A sentence is spoken as soon as it is whole, and a longer text in pieces of this length. */
const LONGEST_PIECE = 400;

/** Cuts a text that arrives in pieces into sentences, for a voice that begins before the answer is whole. */
export class Sentences {
  #rest = "";

  /** The sentences that are whole now. */
  push(text: string): readonly string[] {
    this.#rest += text;
    const whole: string[] = [];
    for (let end = this.#endOfFirst(); end > 0; end = this.#endOfFirst()) {
      whole.push(this.#rest.slice(0, end));
      this.#rest = this.#rest.slice(end);
    }
    return whole;
  }

  /** The rest of the text, at its end. */
  finish(): readonly string[] {
    const rest = this.#rest;
    this.#rest = "";
    return rest.trim() === "" ? [] : [rest];
  }

  /** 0 if the first sentence is not whole. A dot within a number or an abbreviation is not followed by a space. */
  #endOfFirst(): number {
    const match = /[.!?…。！？]["')\]]?\s|\n/.exec(this.#rest);
    if (match !== null) return match.index + match[0].length;
    if (this.#rest.length <= LONGEST_PIECE) return 0;
    const space = this.#rest.lastIndexOf(" ", LONGEST_PIECE);
    return space > 0 ? space + 1 : LONGEST_PIECE;
  }
}
