import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkSite } from "./check-site.ts";
import { withTabs } from "./copy-pages.ts";
import { sidebarOf } from "./sidebar.ts";

function siteOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

it("accepts links to pages, folders, headings and other sites", () => {
  const links = ["/b/", "b/#one", "b/index.html", "#top", "/logo.svg", "https://example.com/x", "mailto:a@example.com"];
  const page = `<h1 id="top"></h1>${links.map((link) => `<a class="x" href="${link}">`).join("")}`;
  expect(checkSite(siteOf({ "a.html": page, "b/index.html": '<h2 id="one">', "logo.svg": "" }))).toEqual([]);
});

it("finds dead links, dead headings and what comes from other hosts", () => {
  const page =
    '<a href="c.html"><a href="/b#two"><script src="https://cdn.example.com/x.js"><link href="//fonts.example.com">';
  expect(checkSite(siteOf({ "a.html": page, "b.html": '<h2 id="one">' }))).toEqual([
    "a.html loads https://cdn.example.com/x.js from another host",
    "a.html loads //fonts.example.com from another host",
    "a.html links c.html, which does not exist",
    "a.html links /b#two, which does not exist",
  ]);
});

it("takes the navigation from the tables and lists of the index", () => {
  const index =
    "# Docs\n\n## Start\n\n1. [Learn](./learn.md): all, with [x](./y.md).\n\n## You run\n\n| page | content |\n| --- | --- |\n| [Run](./operate/run.md) | [x](./y.md) |\n";
  expect(sidebarOf(index)).toEqual([
    { text: "Start", collapsed: false, items: [{ text: "Learn", link: "/learn" }] },
    { text: "You run", collapsed: false, items: [{ text: "Run", link: "/operate/run" }] },
    { text: "Code", collapsed: false, items: [{ text: "All exports", link: "/api/" }] },
  ]);
});

it("makes tabs of blocks of code that belong together", () => {
  const text = "Text\n<!-- tabs -->\n```ts\nconst a = 1;\n```\n\n```yaml\na: 1\n```\n<!-- /tabs -->\n\n```ts\nb\n```\n";
  expect(withTabs(text)).toBe(
    "Text\n::: code-group\n```ts [TypeScript]\nconst a = 1;\n```\n\n```yaml [YAML]\na: 1\n```\n:::\n\n```ts\nb\n```\n",
  );
});
