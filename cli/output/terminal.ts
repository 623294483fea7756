import { styleText } from "node:util";

/**
 * Characters that change what a terminal shows, or are not seen: controls but line feed and tab, marks and overrides of
 * the writing direction, separators, tags, and halves of characters.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Cs}\u{e0000}-\u{e0fff}]/gu;

/**
 * The text with hidden characters as escapes, which are those of JSON: output in JSON keeps its meaning. Agents, models,
 * tools, servers and file names may contain any character.
 */
export function visible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(HIDDEN, escaped);
}

function escaped(character: string): string {
  let units = "";
  for (let index = 0; index < character.length; index += 1)
    units += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return units;
}

/** Prints a line. All output of commands is written by the functions of this file, a test holds. */
export function printLine(text: string): void {
  console.log(visible(text));
}

export function printError(text: string): void {
  console.error(visible(text));
}

/** Prints text without ending its line. */
export function printText(text: string): void {
  process.stdout.write(visible(text));
}

/** Colours a part of the output. */
export type Paint = (style: "red" | "yellow" | "green" | "cyan" | "dim" | "bold", text: string) => string;

/** Plain text if standard output is not a terminal, or NO_COLOR is set. */
export const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

/** For output that is never coloured. */
export const noPaint: Paint = (_style, text) => text;

/** Prints text that has colours, without ending its line. The caller has made everything else in it visible. */
export function printColouredText(text: string): void {
  process.stdout.write(text);
}

/** Prints a line that has colours. The caller has made everything else in it visible. */
export function printColoured(text: string): void {
  console.log(text);
}
