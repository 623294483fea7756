import { porterStem } from "./porter-stem.ts";

/** Words of at most this many characters are not stemmed. */
const LONGEST_UNSTEMMED = 3;

/** Words after this many characters of a text do not count, so that no answer keeps a process busy. */
const MAX_CHARACTERS = 500_000;

/** Chinese, Japanese and Korean: each character is a token. */
const CJK = /[\u4E00-\u9FFF\u3040-\u30FF\uAC00-\uD7AF]/gu;
/** Thai, Lao, Khmer and Myanmar: each character begins a token, and its marks belong to it. */
const UNSPACED = /(?=[\u0E00-\u0EFF\u1780-\u17FF\u1000-\u109F])\P{M}/gu;
const WORD = /[\p{L}\p{N}\p{M}\u4E00-\u9FFF\u3040-\u30FF\uAC00-\uD7AF\u0E00-\u0EFF\u1780-\u17FF\u1000-\u109F]+/gu;

/**
 * The tokens of a text for word overlap: words in lower case, stems if they are of ASCII letters and digits, and single
 * characters in scripts that separate no words. Equal tokens are equal words in any Unicode form.
 */
export function rougeTokens(text: string): readonly string[] {
  const plain = text.slice(0, MAX_CHARACTERS).normalize("NFKC").toLowerCase();
  const words = plain.replaceAll(CJK, " $& ").replaceAll(UNSPACED, " $&").match(WORD) ?? [];
  const stems = new Map<string, string>();
  return words.map((word) => {
    if (word.length <= LONGEST_UNSTEMMED || !isAscii(word)) return word;
    const stem = stems.get(word) ?? porterStem(word);
    stems.set(word, stem);
    return stem;
  });
}

function isAscii(word: string): boolean {
  return /^[a-z0-9]+$/.test(word);
}
