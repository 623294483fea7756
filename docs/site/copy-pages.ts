import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { sidebarOf } from "./sidebar.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The site begins with a page of its own; the index of the repository is a page beside it. */
const LANDING = "docs/site/landing.md";
const INDEX = "docs/README.md";

/**
 * Copies the pages of docs, and every Markdown page of the repository that they link, into a folder for the generator.
 * Links keep their meaning: to pages and images as relative links, to other files of the repository as their text.
 */
export function copyPages(target: string): void {
  const waiting = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("site/"))
    .map((name) => `docs/${name}`);
  waiting.push(LANDING, "CHANGELOG.md");
  const copied = new Set<string>();
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    if (copied.has(page)) continue;
    copied.add(page);
    const { text, linked } = convertPage(page, readFileSync(join(ROOT, page), "utf8"));
    write(join(target, siteOf(page)), text);
    for (const path of linked) {
      if (path.endsWith(".md")) waiting.push(path);
      else copy(join(ROOT, path), join(target, siteOf(path)));
    }
  }
  const index = convertPage(INDEX, readFileSync(join(ROOT, INDEX), "utf8")).text;
  write(join(target, "sidebar.json"), JSON.stringify(sidebarOf(index), null, 2));
}

/** The page as the generator gets it, and the files of the repository that it links and that are copied too. */
function convertPage(page: string, text: string): { readonly text: string; readonly linked: readonly string[] } {
  const linked: string[] = [];
  const convert = (line: string): string =>
    line.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, image: string, label: string, target: string) => {
      if (/^(?:[a-z]+:|#)/.test(target)) return whole;
      const [file = "", heading] = target.split("#");
      const path = pageAt(posix.join(posix.dirname(page), file));
      if (path === undefined) return label;
      linked.push(path);
      const link = posix.relative(posix.dirname(siteOf(page)), siteOf(path));
      return `${image}[${label}](./${link}${heading === undefined ? "" : `#${heading}`})`;
    });
  const parts = withTabs(text)
    .replace(/^<!--[\s\S]*?-->\n/gm, "")
    .split(/^(```[\s\S]*?^```.*$)/m);
  return { text: parts.map((part) => (part.startsWith("```") ? part : convert(part))).join(""), linked };
}

const TAB_NAMES: Readonly<Record<string, string>> = { ts: "TypeScript", yaml: "YAML", bash: "HTTP" };

/** Blocks of code between the comments `tabs` and `/tabs` are one block with a tab for each language. */
export function withTabs(text: string): string {
  return text.replace(/^<!-- tabs -->\n([\s\S]*?)^<!-- \/tabs -->$/gm, (_, blocks: string) => {
    const named = blocks.replace(/^```(\w+)$/gm, (fence, language: string) =>
      language in TAB_NAMES ? `${fence} [${TAB_NAMES[language]}]` : fence,
    );
    return `::: code-group\n${named}:::`;
  });
}

/** The page or image at a path of the repository; the README of a folder; undefined for other files. */
function pageAt(path: string): string | undefined {
  const whole = existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isDirectory() ? `${path}/README.md` : path;
  const clean = posix.normalize(whole);
  return /\.(?:md|png|svg)$/.test(clean) && existsSync(join(ROOT, clean)) ? clean : undefined;
}

function siteOf(path: string): string {
  if (path === LANDING) return "index.md";
  if (path === INDEX) return "documents.md";
  const placed = path.startsWith("docs/") ? path.slice("docs/".length) : `project/${path}`;
  return placed.replace(/(^|\/)README\.md$/, "$1index.md");
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
