import { readFileSync } from "node:fs";

// Written by copy-pages.ts from the tables of docs/README.md.
const sidebar = JSON.parse(readFileSync(new URL("../dist/pages/sidebar.json", import.meta.url), "utf8"));

/** Names of headings as plain Markdown viewers have them. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

export default {
  title: "Fairlead",
  description: "Agent server and agent kit in TypeScript",
  srcDir: "dist/pages",
  outDir: "dist/site",
  cacheDir: "dist/cache",
  ignoreDeadLinks: "localhostLinks",
  // The built site works under any path of any host that serves folders: links end in .html.
  base: process.env.DOCS_BASE ?? "/",
  markdown: { anchor: { slugify }, languageAlias: { promql: "sql" } },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
  },
};
