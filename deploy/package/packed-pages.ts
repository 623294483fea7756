import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join, matchesGlob, posix } from "node:path";
import type { CloneManifest } from "./clone-manifest.ts";

/** Packed by npm without a mention in `files`. */
const ALWAYS = ["package.json", "README.md", "LICENSE"];

/** Whether npm packs the file, or a folder that has it. */
export function isPacked({ files }: CloneManifest, path: string): boolean {
  const patterns = files as readonly string[];
  const matches = (pattern: string) => matchesGlob(path, pattern) || path.startsWith(`${pattern}/`);
  const isLeftOut = patterns.some((pattern) => pattern.startsWith("!") && matches(pattern.slice(1)));
  return ALWAYS.includes(path) || (!isLeftOut && patterns.some(matches));
}

/**
 * Texts of the pages in the package that differ from the clone's. A link to a file that is not in the package leads to
 * the repository at the tag of this version; if package.json does not say where the repository is, its text remains.
 */
export function packedPages(root: string, manifest: CloneManifest): ReadonlyMap<string, string> {
  const pages = globSync("{*.md,docs/**/*.md}", { cwd: root }).filter((path) => isPacked(manifest, path));
  const sources = sourcesOf(manifest);
  return new Map(
    pages.flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const packed = linkOutside(text, (target) => {
        const path = posix.join(posix.dirname(page), target.split("#", 1)[0] ?? "");
        return isPacked(manifest, path) ? undefined : { path, isFolder: isFolder(join(root, path)) };
      });
      return packed === text ? [] : [[page, packed] as const];
    }),
  );

  function linkOutside(
    text: string,
    outside: (target: string) => { readonly path: string; readonly isFolder: boolean } | undefined,
  ): string {
    return outsideFences(text, (prose) =>
      prose.replace(/\[([^[\]]+)\]\(([^()\s]+)\)/g, (link, label: string, target: string) => {
        const found = /^(?:[a-z]+:|#)/.test(target) ? undefined : outside(target);
        if (found === undefined) return link;
        if (sources === undefined) return label;
        const heading = target.includes("#") ? target.slice(target.indexOf("#")) : "";
        return `[${label}](${sources}/${found.isFolder ? "tree" : "blob"}/v${manifest.version}/${found.path}${heading})`;
      }),
    );
  }
}

/** The page with what is not in blocks of code changed. */
function outsideFences(text: string, change: (prose: string) => string): string {
  const parts = text.split(/^(```[\s\S]*?^```.*$)/m);
  return parts.map((part) => (part.startsWith("```") ? part : change(part))).join("");
}

/** The address of the repository's pages, from `repository` in any of the forms that npm knows. */
function sourcesOf({ repository }: CloneManifest): string | undefined {
  const named: unknown = Object(repository).url ?? repository;
  if (typeof named !== "string") return undefined;
  return named
    .replace(/^github:/, "https://github.com/")
    .replace(/^git\+/, "")
    .replace(/(?:\.git)?\/?$/, "");
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
