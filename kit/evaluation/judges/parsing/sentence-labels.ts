/** The sentences of an answer of the judge, which has each between tags. */
export function readSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(OPENING, at);
    const end = start === -1 ? -1 : text.indexOf(CLOSING, start + OPENING.length);
    if (end === -1) return sentences;
    sentences.push(text.slice(start + OPENING.length, end));
    at = end + CLOSING.length;
  }
}

const OPENING = "<sentence>";
const CLOSING = "</sentence>";

/** 1 for each sentence that the context supports or that needs no support, 0 for each other; unknown labels are left out. */
export function readSentenceScores(text: string): readonly (0 | 1)[] {
  const scores: (0 | 1)[] = [];
  const answer = text.trim();
  let at: number | undefined = positionAfter(answer, /sentence:/gi, 0);
  while (at !== undefined) {
    const label = positionAfter(answer, /\nlabel:/gi, at);
    const rationale = positionOf(answer, /\nrationale:/gi, label);
    const excerpt = positionAfter(answer, /\nsupporting_excerpt:/gi, rationale);
    const last = positionAfter(answer, /\ncontradicting_excerpt:/gi, excerpt);
    if (last === undefined) return scores;
    const score = SCORES.get(answer.slice(label, rationale).trim().toLowerCase());
    if (score !== undefined) scores.push(score);
    at = positionAfter(answer, /\nsentence:/gi, last);
  }
  return scores;
}

const SCORES: ReadonlyMap<string, 0 | 1> = new Map([
  ["supported", 1],
  ["not_applicable", 1],
  ["unsupported", 0],
  ["contradictory", 0],
  ["disputed", 0],
]);

function positionOf(text: string, label: RegExp, from: number | undefined): number | undefined {
  if (from === undefined) return undefined;
  label.lastIndex = from;
  return label.exec(text)?.index;
}

function positionAfter(text: string, label: RegExp, from: number | undefined): number | undefined {
  return positionOf(text, label, from) === undefined ? undefined : label.lastIndex;
}
