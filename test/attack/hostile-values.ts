import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";

const LONG = 100_000;
/** Elements or levels of a body of several MB. */
const HUGE = 3_000_000;

const TEXTS: readonly string[] = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "..",
  "../../../etc/passwd",
  "..\\..\\windows",
  ".",
  "/",
  "//evil.example/",
  "a/../b",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff\ud800",
  "😀",
  "é",
  "e\u0301",
  "\u202etxt",
  "\ufeffa",
  "\r\nX-Injected: 1",
  "%2e%2e%2f",
  "%00",
  "null",
  "undefined",
  "NaN",
  "-1",
  "1e400",
  "9007199254740993",
  "true",
  "[]",
  "{}",
  "'; DROP TABLE sessions; --",
  "${jndi:ldap://127.0.0.1/}",
  "{{artifact.a}}",
  "<script>alert(1)</script>",
  "app:a",
  "user:a",
  "temp:a",
  "*",
  "$where",
];

/** Repetitions of these make patterns with excessive backtracking slow. */
const UNITS = [
  "a",
  "/",
  "{",
  "}",
  "\n",
  " ",
  "\\",
  '"',
  "=",
  "-",
  "```\n",
  "{{",
  "on ",
  "[",
  ".",
  "😀",
  "%41",
  ":",
  ",",
];

/** A text that may break a parser, a store or a log. */
export function hostileText(random: SeededRandom): string {
  if (random.between(0, 3) > 0) return random.pick(TEXTS);
  const unit = random.pick(UNITS);
  const length = random.pick([300, 5000, LONG]);
  return unit.repeat(Math.ceil(length / unit.length)) + random.pick(["", "x", "!"]);
}

/**
 * The JSON of a value that may break a parser: JavaScript objects have no duplicate keys or numbers beyond their range.
 */
export function hostileJson(random: SeededRandom): string {
  switch (random.between(0, 13)) {
    case 0:
      return random.pick(["1e400", "-1e400", "1e-400", "9".repeat(400), "-0", "0.1e1", "9007199254740993"]);
    case 1:
      return nested("[", "]", random);
    case 2:
      return nested('{"a":', "}", random, "1");
    case 3:
      return `[${Array.from({ length: random.pick([100, 20_000, 200_000, HUGE]) }, () => "[]").join(",")}]`;
    case 4:
      return `{${Array.from({ length: random.pick([100, 20_000, 60_000, HUGE / 10]) }, (_, index) => `"k${index}":1`).join(",")}}`;
    case 5:
      return '{"a":1,"a":2,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    case 6:
      return '{"__proto__":{"polluted":true}}';
    case 7:
      return random.pick(["null", "true", "false", '""', "[]", "{}", "0", "-1", "1.5"]);
    case 8:
      return random.pick(['"\\ud800"', '"\\u0000"', '"\\uDFFF\\uD800"']);
    default:
      return JSON.stringify(hostileText(random));
  }
}

function nested(open: string, close: string, random: SeededRandom, inner = ""): string {
  const depth = random.pick([10, 50, 500, 50_000, HUGE]);
  return open.repeat(depth) + inner + close.repeat(depth);
}
