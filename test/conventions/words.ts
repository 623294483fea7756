import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY_ROOT, readSourceFiles, type SourceFile } from "#test/helpers/source-files.ts";

/** Forms that readers stumble over, each with what to write in its place. CONTRIBUTING.md has the rule. */
export const HARD_FORMS = {
  /** "the token that of the scheme": repeat the noun. */
  thatForNoun: /\b(?:that|those|the ones?) of\b/gi,
  /** "is no address": write "is not an address". */
  isNo: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)[a-z]/gi,
  /** "the key by which it is found": begin a second sentence. */
  byWhich: /\b(?:after|at|by|for|from|in|of|on|through|to|under|with) which\b/gi,
  /** "may give", for "returns"; "may have", for "has" or "can have". */
  mayHave: /\bmay (?:give|have|use)\b/gi,
  /** "the ids of the calls of the events of a run": make two phrases of it. */
  ofChain: /\bof (?:[\w`'-]+ ){1,5}of (?:[\w`'-]+ ){1,5}of\b/gi,
  /** A comment that is only a clause: "What the store keeps." */
  clauseOnly: /^\s*\/\*\*[\s*]*(?:As|What|Who|Whom|Whose) [^.?]*\.\s*\*\/$/g,
} as const satisfies Readonly<Record<string, RegExp>>;

export type HardForm = keyof typeof HARD_FORMS;

/** Pages that `npm run generate` makes: their words are in the code. */
const GENERATED = /^docs\/reference\//;
const TEXTS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** How often each form stands in the comments and texts of the code outside of tests. */
export function countInSource(): Readonly<Record<HardForm, number>> {
  return count(readSourceFiles().filter(({ path }) => !/^test\/|\.test\.ts$/.test(path)));
}

/** How often each form stands in the pages that people write. */
export function countInDocs(): Readonly<Record<HardForm, number>> {
  const pages = readdirSync(join(REPOSITORY_ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .map((name) => `docs/${name.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md") && !path.startsWith("docs/site/") && !GENERATED.test(path));
  const paths = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", ...pages];
  return count(paths.map((path) => ({ path, text: readFileSync(join(REPOSITORY_ROOT, path), "utf8") })));
}

function count(files: readonly SourceFile[]): Readonly<Record<HardForm, number>> {
  const texts = files.flatMap(textsOf);
  const number = (form: RegExp): number => texts.reduce((sum, text) => sum + (text.match(form)?.length ?? 0), 0);
  return {
    thatForNoun: number(HARD_FORMS.thatForNoun),
    isNo: number(HARD_FORMS.isNo),
    byWhich: number(HARD_FORMS.byWhich),
    mayHave: number(HARD_FORMS.mayHave),
    ofChain: number(HARD_FORMS.ofChain),
    clauseOnly: number(HARD_FORMS.clauseOnly),
  };
}

/** Comments and strings of code, or the prose of a page without its code, each without the marks of its lines. */
export function textsOf({ path, text }: SourceFile): readonly string[] {
  if (path.endsWith(".md")) {
    return [
      text
        .replaceAll(/^```[\s\S]*?^```/gm, "")
        .replaceAll(/`[^`\n]*`/g, "`x`")
        .replaceAll(/\n(?=\S)/g, " "),
    ];
  }
  return (text.match(TEXTS) ?? []).map((one) => one.replaceAll(/\n\s*(?:\/\/|\*(?!\/))?\s*/g, " "));
}
