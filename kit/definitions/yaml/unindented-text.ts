/** A key whose value is a block of text, as in `instruction: |`. */
const HEADER = /^(?<indent> *(?:- +)?)(?<key>[\w-]+): *(?<sign>[|>])[-+\d]* *(?:#.*)?$/;
/** A line that looks like the next key. */
const KEY = /^ *(?:- +)?[\w-]+:(?: |$)/;

/**
 * The fix for a syntax error at a line (from 1) that was meant as text of a block above it, and is not indented as such;
 * undefined for any other error.
 */
export function unindentedTextFix(text: string, line: number): string | undefined {
  const lines = text.split("\n").slice(0, line);
  const broken = lines.pop();
  if (broken === undefined) return undefined;
  let isEmpty = true;
  for (const above of lines.toReversed()) {
    if (above.trim() === "") continue;
    const { indent, key, sign } = HEADER.exec(above)?.groups ?? {};
    if (indent !== undefined) {
      const isMeantAsText = isEmpty ? !KEY.test(broken) : indentOf(broken) > indent.length;
      return isMeantAsText
        ? `Indent the text under \`${key}: ${sign}\`: each of its lines needs the same indentation.`
        : undefined;
    }
    if (indentOf(above) === 0) return undefined;
    isEmpty = false;
  }
  return undefined;
}

/** The fix for a key with other characters than a name has, directly after a block without text. */
export function textAsKeyFix(header: string, sign: "|" | ">", key: string): string | undefined {
  return /^[\w-]+$/.test(key)
    ? undefined
    : `Indent the text under \`${header}: ${sign}\`: its first line is read as a key.`;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
