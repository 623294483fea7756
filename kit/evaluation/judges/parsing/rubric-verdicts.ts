/** The verdict of a judge on one rubric. */
export interface RubricVerdict {
  readonly rubricId: string | undefined;
  readonly property: string;
  readonly rationale: string;
  /** Absent if the verdict is neither yes nor no. */
  readonly score: 0 | 1 | undefined;
}

/**
 * The verdicts of an answer, in their order. An answer in which a property lacks its rationale or verdict has none,
 * because a verdict would count for the wrong property.
 */
export function readRubricVerdicts(text: string): readonly RubricVerdict[] {
  const lines = text.split("\n");
  const properties = lines.flatMap((line, at) => valueAtStart(line, "Property: ", at));
  const ids = lines.flatMap((line, at) => valueAtStart(line, "ID: ", at));
  const rationales = lines.flatMap((line) => valueIn(line, "Rationale: "));
  const verdicts = lines.flatMap((line) => valueIn(line, "Verdict: "));
  if (rationales.length !== properties.length || verdicts.length !== properties.length) return [];
  return properties.map((property, index) => {
    const after = properties[index - 1]?.at ?? -1;
    const id = ids.findLast(({ at }) => at > after && at < property.at)?.value;
    return {
      rubricId: id || undefined,
      property: property.value,
      rationale: (rationales[index] ?? "").trim(),
      score: scoreOf(verdicts[index] ?? ""),
    };
  });
}

/** The text of a rubric without what models add to it when they repeat it: typography, markup, another case. */
export function normaliseProperty(text: string): string {
  const plain = text
    .normalize("NFKC")
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u201C\u201D]/g, '"')
    .replaceAll(/[\u2013\u2014]/g, "-")
    .replaceAll(/\s+/g, " ");
  return withoutDecoration(plain).toLowerCase();
}

interface Line {
  readonly at: number;
  readonly value: string;
}

function valueAtStart(line: string, label: string, at: number): readonly Line[] {
  const text = line.trimStart();
  return text.startsWith(label) ? [{ at, value: text.slice(label.length).trim() }] : [];
}

function valueIn(line: string, label: string): readonly string[] {
  const at = line.indexOf(label);
  return at === -1 ? [] : [line.slice(at + label.length)];
}

function scoreOf(verdict: string): 0 | 1 | undefined {
  const word = verdict.toLowerCase();
  if (word.includes("yes")) return 1;
  return word.includes("no") ? 0 : undefined;
}

const DECORATION = new Set(" *_`#>-\u2022\"'");

function withoutDecoration(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && DECORATION.has(text[start] ?? "")) start += 1;
  while (end > start && DECORATION.has(text[end - 1] ?? "")) end -= 1;
  return text.slice(start, end);
}
