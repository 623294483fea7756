import type { Part } from "#kit/events/content.ts";

/** The tags by which a model separates its planning from its answer. */
export const PLAN_TAGS = {
  planning: "/*PLANNING*/",
  replanning: "/*REPLANNING*/",
  reasoning: "/*REASONING*/",
  action: "/*ACTION*/",
  finalAnswer: "/*FINAL_ANSWER*/",
} as const;

const ANY_TAG = /\/\*(?:PLANNING|REPLANNING|REASONING|ACTION|FINAL_ANSWER)\*\//g;
const LONGEST_TAG = Math.max(...Object.values(PLAN_TAGS).map((tag) => tag.length));

/**
 * Splits a complete text at its tags, which are removed: text after the last final-answer tag is the answer, everything
 * before it is thought. Without that tag, text after the first other tag is thought, and plain text before it is kept.
 */
export function splitSections(part: Part): readonly Part[] {
  const text = part.text ?? "";
  const end = text.lastIndexOf(PLAN_TAGS.finalAnswer);
  const first = text.search(ANY_TAG);
  if (first === -1) return [part];
  if (end !== -1) {
    return [
      ...thoughtPart(withoutTags(text.slice(0, end))),
      ...textPart(part, text.slice(end + PLAN_TAGS.finalAnswer.length)),
    ];
  }
  return [...textPart(part, text.slice(0, first)), ...thoughtPart(withoutTags(text.slice(first)))];
}

/**
 * The same for a streamed text. Text before the first tag is withheld, because its kind depends on the tags that
 * follow.
 */
export class SectionStream {
  #section: "unknown" | "thought" | "answer" = "unknown";
  #held = "";

  push(text: string): readonly Part[] {
    const parts: Part[] = [];
    let rest = this.#held + text;
    for (;;) {
      ANY_TAG.lastIndex = 0;
      const tag = ANY_TAG.exec(rest);
      if (tag === null) break;
      this.#give(rest.slice(0, tag.index), parts);
      this.#section = tag[0] === PLAN_TAGS.finalAnswer ? "answer" : "thought";
      rest = rest.slice(tag.index + tag[0].length);
    }
    const safe = this.#section === "unknown" ? 0 : rest.length - openTagLength(rest);
    this.#give(rest.slice(0, safe), parts);
    this.#held = rest.slice(safe);
    return parts;
  }

  #give(text: string, parts: Part[]): void {
    if (text === "" || this.#section === "unknown") return;
    parts.push(this.#section === "thought" ? { text, thought: true } : { text });
  }
}

/** How many characters at the end may be the beginning of a tag. */
function openTagLength(text: string): number {
  const from = text.lastIndexOf("/*");
  if (from === -1) return text.endsWith("/") ? 1 : 0;
  const end = text.slice(from);
  const opens = end.length < LONGEST_TAG && Object.values(PLAN_TAGS).some((tag) => tag.startsWith(end));
  if (opens) return end.length;
  return text.endsWith("/") ? 1 : 0;
}

function withoutTags(text: string): string {
  return text.replaceAll(ANY_TAG, "");
}

/** Has no signature: that stays with the answer, if there is one. */
function thoughtPart(text: string): readonly Part[] {
  return text.trim() === "" ? [] : [{ text, thought: true }];
}

function textPart(part: Part, text: string): readonly Part[] {
  return text.trim() === "" ? [] : [{ ...part, text }];
}
