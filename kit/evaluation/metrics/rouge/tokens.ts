import { porterStem } from "./porter-stem.ts";

/** Words of at most this many characters are not stemmed. */
const LONGEST_UNSTEMMED = 3;

/** Chinese, Japanese and Korean: each character is a token. */
const CJK = /[\u4E00-\u9FFF\u3040-\u309F\u30A0-\u30FF\uAC00-\uD7AF]/u;
/** Thai, Lao, Khmer and Myanmar: each character with its marks is a token. */
const UNSPACED = /[\u0E00-\u0E7F\u0E80-\u0EFF\u1780-\u17FF\u1000-\u109F]/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const MARK = /\p{M}/u;

/**
 * The tokens of a text for word overlap: words in lower case, stems if they are of ASCII letters and digits, and single
 * characters in scripts that separate no words. Equal tokens are equal words in any Unicode form.
 */
export function rougeTokens(text: string): readonly string[] {
  const spaced = Array.from(text.normalize("NFKC").toLowerCase(), spacedCharacter).join("");
  return spaced
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (isAscii(word) && word.length > LONGEST_UNSTEMMED ? porterStem(word) : word));
}

function spacedCharacter(character: string): string {
  if (CJK.test(character)) return ` ${character} `;
  if (UNSPACED.test(character)) return MARK.test(character) ? character : ` ${character}`;
  return WORD.test(character) ? character : " ";
}

function isAscii(word: string): boolean {
  return /^[a-z0-9]+$/.test(word);
}
