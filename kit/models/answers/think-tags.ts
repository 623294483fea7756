import type { Part } from "#kit/events/content.ts";

const OPENING = "<think>";
const CLOSING = "</think>";
/** How much blank text is held back. */
const MAX_BLANK = 1000;

/**
 * Separates a thought at the very start of an answer's text, between `<think>` and `</think>`, from the answer: servers
 * without a parser for reasoning send it so. Texts may be cut anywhere, also within a tag.
 */
export class ThinkTags {
  #state: "start" | "opened" | "thought" | "closed" | "answer" = "start";
  #held = "";

  /** The parts that the text completes. */
  add(text: string): readonly Part[] {
    if (text === "") return [];
    const all = this.#held + text;
    this.#held = "";
    switch (this.#state) {
      case "start":
        return this.#begin(all);
      case "opened":
        return this.#think(all.trimStart());
      case "thought":
        return this.#think(all);
      case "closed":
        return this.#answer(all.trimStart());
      case "answer":
        return [{ text: all }];
      default:
        return this.#state satisfies never;
    }
  }

  /** What is left at the end of the answer. */
  end(): readonly Part[] {
    const held = this.#held;
    this.#held = "";
    if (held === "") return [];
    return this.#state === "thought" ? thoughtOf(held.trimEnd()) : [{ text: held }];
  }

  /** Nothing that follows is a thought: the answer has another place for them. */
  leave(): void {
    if (this.#held === "") this.#state = "answer";
  }

  #begin(text: string): readonly Part[] {
    const begin = text.trimStart();
    if (begin.startsWith(OPENING)) {
      this.#state = "opened";
      return this.#think(begin.slice(OPENING.length).trimStart());
    }
    if (OPENING.startsWith(begin) && text.length <= MAX_BLANK) {
      this.#held = text;
      return [];
    }
    this.#state = "answer";
    return [{ text }];
  }

  #think(text: string): readonly Part[] {
    if (text === "") return [];
    const end = text.indexOf(CLOSING);
    if (end !== -1) {
      this.#state = "closed";
      return [
        ...thoughtOf(text.slice(0, end).trimEnd()),
        ...this.#answer(text.slice(end + CLOSING.length).trimStart()),
      ];
    }
    this.#state = "thought";
    const said = text.slice(0, text.length - partialTag(text)).trimEnd();
    const held = text.slice(said.length);
    if (held.length > MAX_BLANK) return thoughtOf(text);
    this.#held = held;
    return thoughtOf(said);
  }

  #answer(text: string): readonly Part[] {
    if (text === "") return [];
    this.#state = "answer";
    return [{ text }];
  }
}

function thoughtOf(text: string): readonly Part[] {
  return text === "" ? [] : [{ text, thought: true }];
}

/** How many characters at the end may be the beginning of the closing tag. */
function partialTag(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length -= 1)
    if (CLOSING.startsWith(text.slice(-length))) return length;
  return 0;
}
