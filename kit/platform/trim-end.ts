/**
 * The text without those of the characters that it ends in. The same as a regular expression, such as `/\/+$/`, looks at each run of them once
 * for each of its characters: 100 KB of slashes take seconds.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
