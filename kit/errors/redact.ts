export const REDACTED = "[redacted]";

/**
 * Returns the text with everything that looks like a credential replaced; for logs, and for the part of a tool's error
 * that a model reads. Linear in the text's length: patterns only find where a credential may begin, and each character
 * after such a place is read a bounded number of times.
 */
export function redactText(text: string): string {
  return FINDERS.reduce((clean, find) => replaceFound(clean, find), text);
}

/** Start and end of a credential in the text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** `marker` finds where credentials of one kind may begin; `spanOf` decides whether there is one. */
interface Finder {
  readonly marker: RegExp;
  spanOf(text: string, start: number, end: number, marker: string): Span | undefined;
}

function replaceFound(text: string, { marker, spanOf }: Finder): string {
  let clean = "";
  let done = 0;
  for (const match of text.matchAll(marker)) {
    if (match.index < done) continue;
    const span = spanOf(text, match.index, match.index + match[0].length, match[0]);
    if (span === undefined) continue;
    clean += text.slice(done, span.from) + REDACTED;
    done = span.to;
  }
  return done === 0 ? text : clean + text.slice(done);
}

const WORD = /[\w-]/;
const LETTER = /[A-Za-z0-9]/;
const CREDENTIAL = /[\w.~+/=-]/;
const UNQUOTED = /[^\s"'\\&,;)}\]]/;
const IN_QUERY = /[^\s"'\\&]/;
const IN_LINE = /[^\n\r"']/;
const IN_URL = /[^\s"'\\]/;
const SPACE = /[ \t]/;

/** The index of the first character from `at` on that does not match `part`, at most `at + limit`. */
function endOf(text: string, at: number, part: RegExp, limit = Number.POSITIVE_INFINITY): number {
  const last = Math.min(text.length, at + limit);
  let end = at;
  while (end < last && part.test(text.charAt(end))) end += 1;
  return end;
}

/** A key with a known prefix, such as `ghp_…`. */
function keyFinder(marker: RegExp, minLength: number): Finder {
  return {
    marker,
    spanOf: (text, start, end) => {
      if (start > 0 && LETTER.test(text.charAt(start - 1))) return undefined;
      const to = endOf(text, end, WORD);
      return to - end < minLength ? undefined : { from: start, to };
    },
  };
}

const MIN_BEARER_LENGTH = 8;
const bearer: Finder = {
  marker: /\b(?:bearer|basic)[ \t]/gi,
  spanOf: (text, _start, end) => {
    const from = endOf(text, end, SPACE, 8);
    const to = endOf(text, from, CREDENTIAL);
    return to - from < MIN_BEARER_LENGTH ? undefined : { from, to };
  },
};

const MIN_TOKEN_LENGTH = 16;
const jsonWebToken: Finder = {
  marker: /eyJ/g,
  spanOf: (text, start, end) => {
    if (start > 0 && /[\w.-]/.test(text.charAt(start - 1))) return undefined;
    const to = endOf(text, end, /[\w.-]/);
    return to - start >= MIN_TOKEN_LENGTH && text.slice(start, to).includes(".") ? { from: start, to } : undefined;
  },
};

const MAX_USER_LENGTH = 512;
const MIN_URL_TOKEN_LENGTH = 12;

/** The password of a URL, or a token in place of its user name. An unescaped password may contain `/` and `@`. */
const url: Finder = {
  marker: /:\/\//g,
  spanOf: (text, _start, end) => {
    const next = text.indexOf("://", end);
    const limit = next === -1 ? MAX_USER_LENGTH : Math.min(MAX_USER_LENGTH, next - end);
    const within = text.slice(end, endOf(text, end, IN_URL, limit));
    const to = within.lastIndexOf("@");
    if (to === -1) return undefined;
    const user = within.slice(0, to);
    const colon = user.indexOf(":");
    if (colon !== -1) return user.length > colon + 1 ? { from: end + colon + 1, to: end + to } : undefined;
    return user.length >= MIN_URL_TOKEN_LENGTH && !user.includes("/") ? { from: end, to: end + to } : undefined;
  },
};

const query: Finder = {
  marker: /[?&](?:key|sig|code|token|secret)=/gi,
  spanOf: (text, _start, end) => {
    const to = endOf(text, end, IN_QUERY);
    return to === end ? undefined : { from: end, to };
  },
};

const MAX_NAME_LENGTH = 40;
/** Suffixes of `token` in names that hold no credential: `tokens`, `tokenCount`. */
const HARMLESS = /^(?:s|iz|_?count|_?limit)/i;
/** Words that a sentence may have before a colon. */
const ORDINARY = /^(?:secret|token|credential)$/i;
const WHOLE_LINE = /^(?:authorization|cookie)$/i;

/** `AWS_SECRET_ACCESS_KEY=…`, `dbPassword = "…"`, `"token":"…"`, `Authorization: …`. */
const named: Finder = {
  marker:
    /password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|shared[_-]?key|credential|authorization|cookie/gi,
  spanOf: (text, start, end, marker) => {
    const nameEnd = endOf(text, end, WORD, MAX_NAME_LENGTH);
    const rest = text.slice(end, nameEnd);
    if (/^token$/i.test(marker) && HARMLESS.test(rest)) return undefined;
    const quoteEnd = endOf(text, nameEnd, /["'\\]/, 2);
    const sign = endOf(text, quoteEnd, SPACE, 4);
    const isEqual = text.charAt(sign) === "=";
    if (!isEqual && text.charAt(sign) !== ":") return undefined;
    const isOrdinary = ORDINARY.test(marker) && quoteEnd === nameEnd && !isCompound(text, start);
    if (!isEqual && isOrdinary) return undefined;
    return valueAt(text, endOf(text, sign + 1, SPACE, 4), WHOLE_LINE.test(marker));
  },
};

/** Whether the word is the end of a longer name, such as `client_secret`. */
function isCompound(text: string, start: number): boolean {
  return start > 0 && WORD.test(text.charAt(start - 1));
}

/** The value, without its quotes. */
function valueAt(text: string, at: number, isLine: boolean): Span | undefined {
  const first = text.charAt(at);
  const opening = endOf(text, at, /["'\\]/, 2);
  const isQuoted = opening > at;
  const inQuotes = first === "'" ? /[^'\n]/ : /[^"\n]/;
  let part = isQuoted ? inQuotes : UNQUOTED;
  if (isLine) part = isQuoted ? inQuotes : IN_LINE;
  const done = opening + REDACTED.length;
  if (text.startsWith(REDACTED, opening) && endOf(text, done, part, 1) === done) return undefined;
  const to = endOf(text, opening, part);
  return to === opening ? undefined : { from: opening, to };
}

const END = "-----END ";
const DASHES = "-----";

/** A PEM block that holds a private key. A block without an end reaches to the end of the text. */
const privateKey: Finder = {
  marker: /-----BEGIN [A-Z ]*PRIVATE KEY/g,
  spanOf: (text, start, end) => {
    const last = text.indexOf(END, end);
    const close = last === -1 ? -1 : text.indexOf(DASHES, last + END.length);
    return { from: start, to: close === -1 ? text.length : close + DASHES.length };
  },
};

const FINDERS: readonly Finder[] = [
  privateKey,
  bearer,
  url,
  query,
  jsonWebToken,
  // AWS, GitHub, GitLab, Google, OpenAI and Anthropic, Stripe, Slack. The prefixes of npm and Hugging Face are also
  // those of other names, so their keys have to be longer.
  keyFinder(
    /AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|ya29\.|AIza|GOCSPX-|1\/\/0|sk-|[rs]k_live_|[rs]k_test_|xox[abeoprs]-/g,
    10,
  ),
  keyFinder(/npm_|hf_|fl_/g, 20),
  named,
];
