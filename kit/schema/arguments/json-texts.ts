/** Where the texts of a JSON document are, for places that are asked for in their order. Reads the document once. */
export class JsonTexts {
  readonly #json: string;
  /** The text that begins last before the newest place, or the first one behind it; both ends have their quotes. */
  #begin: number;
  #end = -1;

  constructor(json: string) {
    this.#json = json;
    this.#begin = this.#next(0);
  }

  /** Whether the place, not before the one of the last call, is within a text. */
  isWithin(place: number): boolean {
    while (this.#begin < place) {
      if (this.#end < this.#begin) this.#end = this.#endOf(this.#begin);
      if (place <= this.#end) return true;
      this.#begin = this.#next(this.#end + 1);
    }
    return false;
  }

  #next(from: number): number {
    const begin = this.#json.indexOf('"', from);
    return begin === -1 ? Number.POSITIVE_INFINITY : begin;
  }

  #endOf(begin: number): number {
    for (let end = begin + 1; ; end += 1) {
      end = this.#json.indexOf('"', end);
      if (end === -1) return this.#json.length;
      let escapes = 0;
      while (this.#json[end - 1 - escapes] === "\\") escapes += 1;
      if (escapes % 2 === 0) return end;
    }
  }
}
