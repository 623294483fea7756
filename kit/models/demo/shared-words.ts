/** The highest score above `floor`; the first of equals. */
export function best<Option>(
  options: readonly Option[],
  score: (option: Option) => number,
  floor: number,
): Option | undefined {
  let winner: Option | undefined;
  let highest = floor;
  for (const option of options) {
    const value = score(option);
    if (value > highest) [winner, highest] = [option, value];
  }
  return winner;
}

const COMMON = new Set(
  "about and are can for from get give has have how make new show tell that the this what when which with you your".split(
    " ",
  ),
);

/** How many of the user's words the description contains. */
export function shared(description: string, text: string): number {
  const known = new Set(wordsOf(description));
  return wordsOf(text).filter((word) => known.has(word)).length;
}

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  return [...new Set(words)].filter((word) => !COMMON.has(word)).map((word) => word.replace(/s$/, ""));
}
