/** Characters between which only the levels of objects and lists change. */
const SIGNIFICANT = /["\\{}[\]]/g;

/**
 * Finds the end of a JSON object that comes in pieces. Reads each character once, where parsing what is there after each
 * piece would take quadratic time. What is wrong within the object is not noticed.
 */
export class ObjectEnd {
  #levels = 0;
  #inText = false;
  /** The piece ended within an escape, whose character begins the next one. */
  #isEscaped = false;
  #isReached = false;

  get isReached(): boolean {
    return this.#isReached;
  }

  add(piece: string): void {
    if (piece === "") return;
    SIGNIFICANT.lastIndex = this.#isEscaped ? 1 : 0;
    this.#isEscaped = false;
    for (let match = SIGNIFICANT.exec(piece); match !== null; match = SIGNIFICANT.exec(piece)) {
      const [character] = match;
      if (character === '"') this.#inText = !this.#inText;
      else if (character !== "\\") this.#enterOrLeave(character);
      else if (this.#inText) {
        this.#isEscaped = SIGNIFICANT.lastIndex === piece.length;
        SIGNIFICANT.lastIndex += 1;
      }
    }
  }

  #enterOrLeave(character: string): void {
    if (this.#inText) return;
    this.#levels += character === "{" || character === "[" ? 1 : -1;
    this.#isReached = this.#levels === 0 && character === "}";
  }
}
