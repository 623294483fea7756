import { readFileSync } from "node:fs";

// Written by copy-pages.ts from the tables of docs/README.md.
const sidebar = JSON.parse(readFileSync(new URL("../dist/pages/sidebar.json", import.meta.url), "utf8"));

const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
/** The address of the repository, for links that edit a page. A release sets it. */
const repository = process.env.DOCS_REPOSITORY;

/** The file of the repository behind a page; the site's first page and the index have other names there. */
function sourceOf(filePath) {
  if (filePath === "index.md") return "docs/site/landing.md";
  const path = filePath === "documents.md" ? "README.md" : filePath.replace(/(^|\/)index\.md$/, "$1README.md");
  return path.startsWith("project/") ? path.slice("project/".length) : `docs/${path}`;
}

/** Names of headings as plain Markdown viewers have them. */
function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function weightOf(id) {
  if (id.includes("/api/")) return 0.1;
  return id.includes("/project/") ? 0.3 : 1;
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
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Documents", link: "/documents" },
      { text: "Exports", link: "/api/" },
      { text: `v${manifest.version}`, items: [{ text: "Changes", link: "/project/CHANGELOG" }] },
    ],
    editLink: repository && { text: "Edit this page", pattern: `${repository}/edit/main/:path` },
    search: {
      provider: "local",
      options: {
        miniSearch: {
          // Guides explain what the pages of single exports, and those for people who change Fairlead, only list.
          searchOptions: { boostDocument: weightOf },
        },
      },
    },
  },
  transformPageData(page) {
    if (page.relativePath.startsWith("api/")) page.frontmatter.editLink = false;
    page.filePath = sourceOf(page.filePath);
  },
};
