/** The addresses that the developer UI's page needs, as paths below the published prefix. */
export interface DevUiPaths {
  /** Ends in a slash. */
  readonly base: string;
  readonly iconFonts: Readonly<Record<string, string>>;
  /** Scripts of this server that run beside the UI's. */
  readonly scripts?: readonly string[];
  /** Style rules of this server. */
  readonly rules?: string;
}

/**
 * Rewrites the UI's page to work from any address and without the internet: its base is this server's, its icon fonts
 * come from here, and font hosts are removed (a system font replaces its text font).
 */
export function rewriteIndex(html: string, { base, iconFonts, scripts = [], rules = "" }: DevUiPaths): string {
  const faces = Object.entries(iconFonts).map(
    ([family, path]) =>
      `@font-face{font-family:'${family}';font-style:normal;font-weight:400;font-display:block;src:url(${path}) format('woff2');}`,
  );
  return html
    .replace(/<base\s[^<>]*>/i, `<base href="${escapeAttribute(base)}">`)
    .replace(/<link\s[^<>]*>\s*/gi, (link) => rewriteLink(link))
    .replace(/@font-face\s*\{[^{}]*\}/gi, (face) => (/url\(["']?https?:\/\//i.test(face) ? "" : face))
    .replace(
      /<\/head>/i,
      () => `<style>${TEXT_FACES}${faces.join("")}${rules}</style>${scripts.map(scriptTag).join("")}</head>`,
    );
}

function scriptTag(path: string): string {
  return `<script type="module" src="${escapeAttribute(path)}"></script>`;
}

function rewriteLink(link: string): string {
  if (/\shref="https?:\/\//i.test(link)) return "";
  // An inline handler enables this style sheet; the page's security policy forbids such handlers.
  return /\srel="stylesheet"/i.test(link) ? link.replace(/\smedia="print"\s+onload="[^"]*"/i, "") : link;
}

/**
 * Much of the UI's text uses this family without a fallback, which would be the browser's serif font. Each source is
 * the full name of a system font, or its PostScript name.
 */
const TEXT_FAMILY = "Google Sans";
const SYSTEM_FONTS = {
  "400": ["Google Sans", "Roboto", "Segoe UI", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans"],
  "600 700": [
    "Google Sans Bold",
    "Roboto Bold",
    "Segoe UI Bold",
    "HelveticaNeue-Bold",
    "Arial Bold",
    "Liberation Sans Bold",
    "DejaVu Sans Bold",
  ],
};
const TEXT_FACES = Object.entries(SYSTEM_FONTS)
  .map(([weight, names]) => {
    const sources = names.map((name) => `local('${name}')`).join(",");
    return `@font-face{font-family:'${TEXT_FAMILY}';font-weight:${weight};src:${sources};}`;
  })
  .join("");

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

const RELOAD_SECONDS = 2;

export interface MissingUi extends Pick<DevUiPaths, "base"> {
  readonly installCommand: string;
  readonly isBeingInstalled: boolean;
}

/** The page that is shown until the UI is installed. It reloads itself during the installation. */
export function missingUiPage({ base, installCommand, isBeingInstalled }: MissingUi): string {
  const title = isBeingInstalled ? "The developer UI is being installed" : "The developer UI is not installed";
  const text = isBeingInstalled
    ? `<p>The server runs and its API works. The UI comes from an npm package of its own, which is fetched now. This page
reloads itself and shows the UI when it is there. If that fails, the server's output names the reason.</p>`
    : `<p>The server runs and its API works. The UI comes from an npm package of its own. To get it, run</p>
<p><code>${installCommand}</code></p>
<p>in the server's folder, then reload this page. Another build can be served with <code>DEV_UI_DIR</code>.</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isBeingInstalled ? `<meta http-equiv="refresh" content="${RELOAD_SECONDS}">\n` : ""}<title>${title}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color: #1d2024; }
code { background: #f0f1f4; padding: 0.15em 0.4em; border-radius: 4px; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1f; color: #e6e6ea; } code { background: #2b2c31; } a { color: #9ecaff; } }
</style>
</head>
<body>
<h1>${title}</h1>
${text}
<p><a href="${escapeAttribute(base)}../docs">API documentation</a></p>
</body>
</html>
`;
}
