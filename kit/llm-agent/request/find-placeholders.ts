/**
 * Finds the placeholders of a text: one or more opening braces, a name without braces, one or more closing ones; with a
 * backslash or dollar sign before them. Each character is read a fixed number of times, whatever the text.
 */
export function* findPlaceholders(text: string): Generator<readonly [start: number, end: number], void, undefined> {
  for (const { index, 0: core } of text.matchAll(/\{[^{}]*\}/g)) {
    let start = index;
    while (text[start - 1] === "{") start -= 1;
    if (text[start - 1] === "\\" || text[start - 1] === "$") start -= 1;
    let end = index + core.length;
    while (text[end] === "}") end += 1;
    yield [start, end];
  }
}
