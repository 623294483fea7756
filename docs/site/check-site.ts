import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** Faults of a built site: links to pages, files and headings that are not in it, and what it loads from other hosts. */
export function checkSite(folder: string): readonly string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  const texts = new Map(pages.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const ids = new Map([...texts].map(([name, text]) => [name, idsOf(text)]));
  return [...texts].flatMap(([name, text]) => {
    const loaded = [...text.matchAll(/<(?:script|img|link|iframe)\b[^>]*?\s(?:src|href)="([^"]+)"/g)];
    const foreign = loaded
      .map(([, url = ""]) => url)
      .filter((url) => /^(?:https?:)?\/\//.test(url))
      .map((url) => `${name} loads ${url} from another host`);
    const links = [...text.matchAll(/<a\b[^>]*?\shref="([^"]+)"/g)].map(([, target = ""]) => target);
    const dead = [...new Set(links)]
      .filter((target) => !/^(?:[a-z]+:|\/\/)/.test(target) && !isAlive(target, name))
      .map((target) => `${name} links ${target}, which does not exist`);
    return [...foreign, ...dead];
  });

  function isAlive(target: string, from: string): boolean {
    const [file = "", heading = ""] = target.split("#");
    const path =
      file === "" ? from : posix.join(file.startsWith("/") ? "" : posix.dirname(from), file).replace(/^\//, "");
    const found = [path, `${path}.html`, posix.join(path, "index.html")].find((name) => isFile(name));
    if (found === undefined) return false;
    return heading === "" || !found.endsWith(".html") || ids.get(found)?.has(decodeURIComponent(heading)) === true;
  }

  function isFile(name: string): boolean {
    return existsSync(join(folder, name)) && statSync(join(folder, name)).isFile();
  }
}

function idsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id));
}
