import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { deadLinks } from "#test/helpers/dead-links.ts";
import { readCloneManifest } from "./clone-manifest.ts";
import { isPacked, packedPages } from "./packed-pages.ts";

const ROOT = join(import.meta.dirname, "../..");
const manifest = readCloneManifest(ROOT);

function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "fairlead-pages-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const PAGE = `[tools](tools.md#more) [code](examples/a.ts#L3) [all](examples) [web](https://x.example/) [here](#here)
\`\`\`md
[code](examples/a.ts)
\`\`\`
`;
const files = { "docs/page.md": PAGE, "docs/tools.md": "# Tools", "docs/examples/a.ts": "" };

it.each(["github:acme/fairlead", { type: "git", url: "git+https://github.com/acme/fairlead.git" }])(
  "links what is not in the package to the repository %j",
  (repository) => {
    const pages = packedPages(folder(files), { ...manifest, version: "1.2.3", repository });
    const at = (kind: string) => `https://github.com/acme/fairlead/${kind}/v1.2.3/docs/examples`;
    const changed = PAGE.replace("(examples/a.ts#L3)", `(${at("blob")}/a.ts#L3)`).replace(
      "(examples)",
      `(${at("tree")})`,
    );
    expect(pages).toEqual(new Map([["docs/page.md", changed]]));
  },
);

it("leaves the text of such a link if the repository is not known", () => {
  const pages = packedPages(folder(files), { ...manifest, repository: undefined });
  const changed = PAGE.replace("[code](examples/a.ts#L3) [all](examples)", "code all");
  expect(pages).toEqual(new Map([["docs/page.md", changed]]));
});

it("lists links to files that are not there, but not those in blocks of code", () => {
  expect(deadLinks(folder(files))).toEqual([]);
  const dead = deadLinks(folder({ "docs/page.md": PAGE, "docs/tools.md": "# Tools" }));
  expect(dead).toEqual(["docs/page.md: examples/a.ts#L3", "docs/page.md: examples"]);
});

it.each([undefined, "github:acme/fairlead"])("leaves no dead link in the pages of the package: %s", (repository) => {
  const root = folder({});
  const packed = globSync("{*,docs/**}", { cwd: ROOT }).filter((path) => isPacked(manifest, path));
  expect(packed.length).toBeGreaterThan(60);
  for (const path of packed) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  expect(deadLinks(root).length).toBeGreaterThan(20);
  for (const [path, text] of packedPages(ROOT, { ...manifest, repository })) writeFileSync(join(root, path), text);
  expect(deadLinks(root)).toEqual([]);
});
