/** A longer run of letters is data and not a word: only its first characters are indexed. */
const MAX_WORD_LENGTH = 64;
/** Letters and digits, or one pictograph. */
const WORD = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
const ASCII = /^[\x00-\x7f]*$/;
/** Selectors of a form, accents, Hebrew points and Arabic vowel marks. The marks of other scripts are vowels that make a different word. */
const ACCENTS =
  /[\ufe0e\ufe0f\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]/g;
/** Scripts without spaces, or (Hangul) with endings attached to words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/**
 * The distinct words of a text, in order of appearance, without case and accents. A run of a script that does not
 * separate words becomes its characters and its pairs of neighbours.
 */
export function wordsOf(text: string): ReadonlySet<string> {
  return collectWords(text, false);
}

/**
 * The words to search for. Where `wordsOf` returns characters and pairs, a query has the pairs, and of single characters
 * only the Chinese ones with a meaning of their own: others would match almost everything.
 */
export function queryWordsOf(text: string): ReadonlySet<string> {
  return collectWords(text, true);
}

function collectWords(text: string, isQuery: boolean): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [word] of fold(text).matchAll(WORD)) {
    if (ASCII.test(word)) words.add(word.slice(0, MAX_WORD_LENGTH));
    else addWord(word, isQuery, words);
  }
  return words;
}

function addWord(word: string, isQuery: boolean, words: Set<string>): void {
  let rest = 0;
  for (const match of word.matchAll(UNSPACED)) {
    addSpaced(word.slice(rest, match.index), words);
    addUnspaced([...match[0]], isQuery, words);
    rest = match.index + match[0].length;
  }
  addSpaced(word.slice(rest), words);
}

function addSpaced(word: string, words: Set<string>): void {
  if (word !== "") words.add([...word].slice(0, MAX_WORD_LENGTH).join(""));
}

function addUnspaced(characters: readonly string[], isQuery: boolean, words: Set<string>): void {
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    if (!isQuery || characters.length === 1 || isMeaningful(character)) words.add(character);
    if (next !== undefined) words.add(character + next);
  }
}

/** The most frequent Chinese characters, which have a function in the sentence rather than a meaning. */
const FUNCTION_CHARACTERS = new Set(
  "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于于着著下自之年过過发發后後作里用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心她本前开開但因只从從想实實吗嗎呢吧啊哪谁誰什很喜欢歡",
);

function isMeaningful(character: string): boolean {
  return /\p{Script=Han}/u.test(character) && !FUNCTION_CHARACTERS.has(character);
}

/**
 * Decomposes the text to remove the accents, then composes it again, because Hangul would stay decomposed otherwise.
 */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // Upper case first: it writes ß as SS, and the two forms of sigma as one.
  return text.normalize("NFKD").toUpperCase().toLowerCase().replace(ACCENTS, "").replaceAll("ς", "σ").normalize("NFKC");
}
