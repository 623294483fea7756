import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { lazy } from "#kit/platform/lazy.ts";

export interface ConsolePage {
  readonly path: string;
  readonly title: string;
  /** The page's own part, without what all pages have. */
  readonly html: string;
  readonly script: string;
}

/** In the order of their links. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  { path: "/console", title: "Runs", html: "runs.html", script: "console.js" },
  { path: "/console/inbox", title: "Inbox", html: "inbox.html", script: "inbox.js" },
  { path: "/console/schedules", title: "Schedules", html: "schedules.html", script: "schedules.js" },
  { path: "/console/webhooks", title: "Webhooks", html: "webhooks.html", script: "webhooks.js" },
  { path: "/console/usage", title: "Usage", html: "usage.html", script: "usage.js" },
  { path: "/console/evaluations", title: "Evaluations", html: "evaluations.html", script: "evaluations.js" },
];

export interface ConsolePageOptions {
  /** The folder with the HTML of the pages, their frame, and the fields that several have. */
  readonly folder: string;
  /** Whether the server has the developer UI, to which the pages then link. */
  readonly hasDevUi: boolean;
}

/** The whole page, with the head and the links that all pages have; read on first use. */
export function consolePage(
  { path, title, html, script }: ConsolePage,
  { folder, hasDevUi }: ConsolePageOptions,
): () => Promise<string> {
  // Links are relative, so that they are right below every prefix.
  const root = path === "/console" ? "" : "../";
  const links = [
    ...CONSOLE_PAGES.map((page) => {
      const current = page.path === path ? ' aria-current="page"' : "";
      return `<a href="${root}${page.path.slice(1)}"${current}>${page.title}</a>`;
    }),
    ...(hasDevUi ? [`<a href="${root}dev-ui/">Developer UI</a>`] : []),
    `<a href="${root}docs">API</a>`,
  ];
  return lazy(async () => {
    const read = (name: string) => readFile(join(folder, name), "utf8");
    const [frame, page, fields] = await Promise.all([read("frame.html"), read(html), read("app-and-user.html")]);
    const parts: Readonly<Record<string, string>> = {
      page: page.replace("<!-- app and user -->\n", () => fields),
      title,
      root,
      script,
      links: links.join("\n  "),
      "developer UI": hasDevUi ? " data-dev-ui" : "",
    };
    return frame.replaceAll(/<!-- ([a-zA-Z ]+) -->/g, (_comment, name: string) => parts[name] ?? "");
  });
}
