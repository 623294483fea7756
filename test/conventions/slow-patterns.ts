import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY_ROOT, type SourceFile } from "#test/helpers/source-files.ts";
import { isNode, lineOf, nameOf, parse, stringValue, walk } from "#test/helpers/syntax.ts";

interface Found {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/**
 * Files that may make regular expressions of texts: those of the linear matcher, and the reader of shapes, whose patterns are
 * checked here as literals.
 */
const MAY_CONSTRUCT = new Set(["kit/schema/linear-pattern.ts", "kit/schema/shape-reader.ts"]);

/** None is part of a server; the patterns of the linter, the tests and the docs site get texts of the repository only. */
const UNCHECKED = /^(?:test|bench|tooling|docs\/(?:checks|site))\/|\.test\.ts$/;

/** Bounds of the search that are independent of the machine, so that a pattern always gets the same verdict. */
const PARAMETERS = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  recallTimeout: null,
  randomSeed: 1,
  maxNFASize: 4000,
} as const;

const VERDICT = "takes more than linear time for some texts, or cannot be shown not to";
const CACHE = join(REPOSITORY_ROOT, "node_modules/.cache/fairlead/linear-patterns.json");

/**
 * Regular expressions that take more than linear time for some text, or that are made of texts; each with its place.
 */
export async function findSlowPatterns(files: readonly SourceFile[]): Promise<readonly string[]> {
  const faults: string[] = [];
  const found: Found[] = [];
  for (const file of files) {
    if (UNCHECKED.test(file.path)) continue;
    for (const { constructed, pattern } of patternsIn(file)) {
      if (pattern !== undefined) found.push(pattern);
      else if (!MAY_CONSTRUCT.has(file.path)) faults.push(`${constructed}: made of a text; use LinearPattern`);
    }
  }
  const linear = await linearOf(found);
  for (const pattern of found) {
    if (!linear.has(keyOf(pattern))) faults.push(`${pattern.place}: /${pattern.source}/${pattern.flags} ${VERDICT}`);
  }
  return faults;
}

function patternsIn(file: SourceFile): readonly { readonly constructed: string; readonly pattern?: Found }[] {
  const patterns: { constructed: string; pattern?: Found }[] = [];
  walk(parse(file), (node) => {
    const place = `${file.path}:${lineOf(file, node)}`;
    const { regex, callee, key, value } = node;
    // The parser's form of a regular expression, which its type lacks.
    const literal = regex as { readonly pattern: string; readonly flags: string } | undefined | null;
    if (node.type === "Literal" && literal) {
      patterns.push({ constructed: place, pattern: { place, source: literal.pattern, flags: literal.flags } });
    }
    const isCall = node.type === "NewExpression" || node.type === "CallExpression";
    if (isCall && isNode(callee) && nameOf(callee) === "RegExp") patterns.push({ constructed: place });
    // The `pattern` of a schema.
    const text = node.type === "Property" && nameOf(key) === "pattern" ? stringValue(value) : undefined;
    if (text !== undefined) patterns.push({ constructed: place, pattern: { place, source: text, flags: "" } });
    return true;
  });
  return patterns;
}

/**
 * The keys of those that are linear. Earlier results are in a file below node_modules, because a search may
 * take seconds.
 */
async function linearOf(patterns: readonly Found[]): Promise<ReadonlySet<string>> {
  const linear = readCache();
  const sizeBefore = linear.size;
  for (const pattern of patterns) {
    if (!linear.has(keyOf(pattern)) && (await isLinear(pattern))) linear.add(keyOf(pattern));
  }
  if (linear.size > sizeBefore) {
    mkdirSync(dirname(CACHE), { recursive: true });
    writeFileSync(CACHE, JSON.stringify([...linear]));
  }
  return linear;
}

async function isLinear({ source, flags }: Found): Promise<boolean> {
  // The engine in JavaScript: the others are separate programs. It is chosen when the first pattern is checked.
  process.env["RECHECK_BACKEND"] = "pure";
  const { checkSync } = await import("recheck");
  return checkSync(source, flags, PARAMETERS).status === "safe";
}

function keyOf({ source, flags }: Found): string {
  return createHash("sha256")
    .update(JSON.stringify([source, flags, PARAMETERS]))
    .digest("base64url");
}

function readCache(): Set<string> {
  try {
    return new Set<string>(JSON.parse(readFileSync(CACHE, "utf8")));
  } catch {
    return new Set();
  }
}
