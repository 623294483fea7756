import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT, readSourceFiles } from "#test/helpers/source-files.ts";

const FOLDERS = [
  "kit",
  "ports",
  "adapters",
  "services",
  "proto",
  "cli",
  "charts",
  "deploy",
  "docs",
  "bench",
  "test",
  "tooling",
];
/** Ends of file names by which a name without a folder is taken for a file of this repository. */
const SOURCE = /[\w-]\.(?:ts|mjs)$/;
/** Names of packages, and patterns of imports. */
const NOT_OURS = new Set(["fairlead/kit", "fairlead/kit/testing", "./x.ts"]);

interface Page {
  readonly path: string;
  readonly text: string;
}

const pages: readonly Page[] = [
  ...["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"],
  ...readdirSync(join(REPOSITORY_ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("site/"))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(join(REPOSITORY_ROOT, path), "utf8") }));

/** Every file and folder of the repository's folders, from its root. */
const paths: readonly string[] = [...FOLDERS, "agents"].flatMap((folder) => [
  folder,
  ...readdirSync(join(REPOSITORY_ROOT, folder), { recursive: true, encoding: "utf8" }).map(
    (name) => `${folder}/${name.replaceAll("\\", "/")}`,
  ),
]);

/** What a page names as a path of the repository, within the text and in its blocks of code. */
function pathsNamed(text: string): readonly string[] {
  const [prose, blocks] = splitFences(text);
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.split(" "));
  // In a block of code, `./` is the folder of the reader's file.
  const words = blocks.split(/[\s()[\],"']+/).filter((word) => /^(?!\.\/).*\/.*[\w-]\.[a-z]+$/.test(word));
  return [...inline, ...words].filter(isPath);
}

function splitFences(text: string): readonly [string, string] {
  const parts = text.split(/^```.*$/m);
  const join = (odd: number): string => parts.filter((_, index) => index % 2 === odd).join("\n");
  return [join(0), join(1)];
}

function isPath(word: string): boolean {
  if (NOT_OURS.has(word) || word.startsWith("/")) return false;
  const [top = ""] = word.split("/");
  return (word.includes("/") && FOLDERS.includes(top)) || (SOURCE.test(word) && !top.endsWith("agents"));
}

/** A name that begins with none of the folders is the end of a path. `<name>` and `*` stand for any name. */
function exists(named: string): boolean {
  const pattern = named
    .replace(/\/$/, "")
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/<\w+>|\*/g, "[^/]+");
  const whole = new RegExp(FOLDERS.includes(named.split("/", 1)[0] ?? "") ? `^${pattern}$` : `(?:^|/)${pattern}$`);
  return paths.some((path) => whole.test(path));
}

/** Names of classes, ports and calls in overviews, such as `RunJournal` of `RunJournal.begin`. */
function typesNamed(text: string): readonly string[] {
  const [prose] = splitFences(text);
  return [...prose.matchAll(/`([A-Z][a-z]+[A-Z]\w*)(?:\.\w+)?`/g)].map(([, name = ""]) => name);
}

describe("types that overviews name", () => {
  const code = readSourceFiles()
    .filter(({ path }) => /^(?:kit|ports|adapters|services)\//.test(path) && !path.endsWith(".test.ts"))
    .map(({ text }) => text)
    .join("\n");
  const words = new Set(code.match(/\b[A-Z]\w+/g));

  const overviews = pages.filter(({ path }) => path === "ARCHITECTURE.md" || path.startsWith("docs/design/"));

  it.each(overviews)("exist: $path", ({ text }) => {
    expect(typesNamed(text).filter((name) => !words.has(name))).toEqual([]);
  });

  it("are many in the architecture", () => {
    const architecture = overviews.find(({ path }) => path === "ARCHITECTURE.md");
    expect(new Set(typesNamed(architecture?.text ?? "")).size).toBeGreaterThan(40);
  });
});

describe("paths that documents name", () => {
  it("are found in text and in blocks of code, as words that begin with a folder of the repository or end as a source", () => {
    const text =
      "See `kit/runs/`, `run.ts`, `docs/*.md` and `/v1/runs`.\n```bash\nnode bench/run.ts --kit # kit/x ./own.ts\nopenssl rand\n```\n";
    expect(pathsNamed(text)).toEqual(["kit/runs/", "run.ts", "docs/*.md", "bench/run.ts"]);
    expect(["kit/runs/", "runner.ts", "docs/*.md", "kit/runs/none.ts", "none.ts"].filter(exists)).toEqual([
      "kit/runs/",
      "runner.ts",
      "docs/*.md",
    ]);
  });

  it.each(pages)("exist: $path", ({ text }) => {
    expect(pathsNamed(text).filter((named) => !exists(named))).toEqual([]);
  });
});
