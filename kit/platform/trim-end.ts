/**
 * Removes the given characters from the end of the text. A regular expression for it, such as `/\/+$/`, is quadratic:
 * it looks at each run of the characters once for each of them, and 100 KB of slashes take seconds.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
