/**
 * Porter's algorithm for suffix stripping, with the extensions that NLTK makes and that the scorers of other ADK
 * servers use. https://tartarus.org/martin/PorterStemmer/
 */

/** Words whose stems do not follow the rules. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ...["sky", "skies"].map((word) => [word, "sky"] as const),
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ...["news", "howe", "proceed", "exceed", "succeed"].map((word) => [word, word] as const),
  ...["inning", "outing", "canning"].flatMap((word) => [[word, word] as const, [`${word}s`, word] as const]),
]);

/** A suffix, what replaces it, and the condition for the rest of the word. */
type Rule = readonly [suffix: string, replacement: string, condition?: (stem: string) => boolean];

/** The stem of a word of lower-case ASCII letters and digits. Takes time linear in its length. */
export function porterStem(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 2) return word;
  const inflected = [stripPlural, stripPastOrGerund, turnFinalY].reduce((stem, step) => step(stem), word);
  const derived = applyFirst(applyFirst(joinSuffixes(inflected), STEP_3), STEP_4);
  return applyFirst(dropFinalE(derived), STEP_5B);
}

const STEP_1A: readonly Rule[] = [
  ["sses", "ss"],
  ["ies", "i"],
  ["ss", "ss"],
  ["s", ""],
];

function stripPlural(word: string): string {
  return word.length === 4 && word.endsWith("ies") ? word.slice(0, -1) : applyFirst(word, STEP_1A);
}

const AFTER_PAST_OR_GERUND: readonly Rule[] = [
  ["at", "ate"],
  ["bl", "ble"],
  ["iz", "ize"],
];

function stripPastOrGerund(word: string): string {
  if (word.endsWith("ied")) return word.slice(0, word.length === 4 ? -1 : -2);
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const stem = ["ed", "ing"].flatMap((suffix) => (word.endsWith(suffix) ? [word.slice(0, -suffix.length)] : []))[0];
  if (stem === undefined || !hasVowel(stem)) return word;
  if (AFTER_PAST_OR_GERUND.some(([suffix]) => stem.endsWith(suffix))) return applyFirst(stem, AFTER_PAST_OR_GERUND);
  if (endsWithDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsWithShortSyllable(stem) ? `${stem}e` : stem;
}

/** The vowel before a final y keeps it: enjoy, but happi. */
function turnFinalY(word: string): string {
  const stem = word.slice(0, -1);
  return word.endsWith("y") && stem.length > 1 && consonants(stem).at(-1) === true ? `${stem}i` : word;
}

const positive = (stem: string): boolean => measure(stem) > 0;
const long = (stem: string): boolean => measure(stem) > 1;

const STEP_2: readonly Rule[] = [
  ["ational", "ate", positive],
  ["tional", "tion", positive],
  ["enci", "ence", positive],
  ["anci", "ance", positive],
  ["izer", "ize", positive],
  ["bli", "ble", positive],
  ["alli", "al", positive],
  ["entli", "ent", positive],
  ["eli", "e", positive],
  ["ousli", "ous", positive],
  ["ization", "ize", positive],
  ["ation", "ate", positive],
  ["ator", "ate", positive],
  ["alism", "al", positive],
  ["iveness", "ive", positive],
  ["fulness", "ful", positive],
  ["ousness", "ous", positive],
  ["aliti", "al", positive],
  ["iviti", "ive", positive],
  ["biliti", "ble", positive],
  ["fulli", "ful", positive],
  // The l counts as part of the stem, so that short ones such as geo are long enough.
  ["logi", "log", (stem) => positive(`${stem}l`)],
];

function joinSuffixes(word: string): string {
  if (word.endsWith("alli") && positive(word.slice(0, -4))) return joinSuffixes(word.slice(0, -2));
  return applyFirst(word, STEP_2);
}

const STEP_3: readonly Rule[] = [
  ["icate", "ic", positive],
  ["ative", "", positive],
  ["alize", "al", positive],
  ["iciti", "ic", positive],
  ["ical", "ic", positive],
  ["ful", "", positive],
  ["ness", "", positive],
];

const STEP_4: readonly Rule[] = [
  ...["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"].map(
    (suffix) => [suffix, "", long] as const,
  ),
  ["ion", "", (stem) => long(stem) && /[st]$/.test(stem)],
  ...["ou", "ism", "ate", "iti", "ous", "ive", "ize"].map((suffix) => [suffix, "", long] as const),
];

function dropFinalE(word: string): string {
  if (!word.endsWith("e")) return word;
  const stem = word.slice(0, -1);
  const size = measure(stem);
  return size > 1 || (size === 1 && !endsWithShortSyllable(stem)) ? stem : word;
}

const STEP_5B: readonly Rule[] = [["ll", "l", (stem) => long(`${stem}l`)]];

/** Applies the first rule whose suffix the word has; if its condition is not met, no rule applies. */
function applyFirst(word: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement, condition] of rules) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, word.length - suffix.length);
    return condition === undefined || condition(stem) ? stem + replacement : word;
  }
  return word;
}

/** Whether each character is a consonant. A y is one at the start and after a vowel. */
function consonants(word: string): readonly boolean[] {
  const flags: boolean[] = [];
  for (const letter of word) flags.push(letter === "y" ? flags.at(-1) !== true : !"aeiou".includes(letter));
  return flags;
}

/** How often a consonant follows a vowel: the m of the paper. */
function measure(stem: string): number {
  const flags = consonants(stem);
  return flags.filter((isConsonant, index) => isConsonant && flags[index - 1] === false).length;
}

function hasVowel(stem: string): boolean {
  return consonants(stem).includes(false);
}

function endsWithDoubleConsonant(word: string): boolean {
  return word.length >= 2 && word.at(-1) === word.at(-2) && consonants(word).at(-1) === true;
}

/** Consonant, vowel, and a consonant that is not w, x or y; or a vowel and a consonant that are the whole word. */
function endsWithShortSyllable(word: string): boolean {
  const [third, second, last] = consonants(word).slice(-3);
  if (word.length === 2) return third === false && second === true;
  return word.length >= 3 && third === true && second === false && last === true && !/[wxy]$/.test(word);
}
