import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DOCS = join(import.meta.dirname, "..");

/** Before the code of a recipe on its page; names its file. */
const MARK = "<!-- recipe: ";
const BEGIN = " -->\n```ts\n";

/** The pages of the cookbook, each recipe with the code of its file. */
export function cookbookPages(): readonly (readonly [string, string])[] {
  return globSync("cookbook/*.md", { cwd: DOCS }).map((page) => {
    const [head = "", ...recipes] = readFileSync(join(DOCS, page), "utf8").split(MARK);
    return [page, head + recipes.map(withCode).join("")] as const;
  });
}

/** The text from a recipe's file name to the next recipe. */
function withCode(text: string): string {
  const file = text.slice(0, text.indexOf(BEGIN));
  const code = readFileSync(join(DOCS, "examples/recipes", file), "utf8");
  return `${MARK}${file}${BEGIN}${code}${text.slice(text.indexOf("```\n", file.length + BEGIN.length))}`;
}
