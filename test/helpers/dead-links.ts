import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Links in the pages of an installed package to files that it does not have, those in blocks of code left out. */
export function deadLinks(folder: string): readonly string[] {
  return globSync("{*.md,docs/**/*.md}", { cwd: folder }).flatMap((page) => {
    const prose = readFileSync(join(folder, page), "utf8").replace(/^```[\s\S]*?^```/gm, "");
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const dead = targets.filter((target) => {
      const [file = ""] = target.split("#", 1);
      return file !== "" && !/^[a-z]+:/.test(file) && !existsSync(join(folder, page, "..", file));
    });
    return dead.map((target) => `${page}: ${target}`);
  });
}
