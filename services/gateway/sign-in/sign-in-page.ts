import { STRICT_PAGE_HEADERS } from "../pages/security-headers.ts";
import type { SignIn } from "./sign-in.ts";

export const SIGN_IN_PAGE_HEADERS = { ...STRICT_PAGE_HEADERS, "cache-control": "no-store" };

/** The page with all ways to sign in. `next` is a checked path. */
export function signInPage({ acceptsKeys, providers, address }: SignIn, next: string): string {
  const links = providers.map(({ client }, index) => {
    const query = new URLSearchParams({ provider: String(index), next });
    return `<p><a class="button" href="start?${escapeHtml(query.toString())}">Sign in with ${escapeHtml(client.label)}</a></p>`;
  });
  const form = `<form id="key">
<label>API key <input name="key" type="password" autocomplete="current-password" spellcheck="false" required></label>
<button>Sign in</button>
</form>`;
  return page(
    "Sign in",
    `<main data-next="${escapeHtml(address.path + next)}">
<h1>Sign in</h1>
${links.join("\n")}
${acceptsKeys ? form : ""}
<p id="outcome" role="alert"></p>
</main>
<script type="module" src="sign-in.js"></script>`,
  );
}

/**
 * The page after a sign-in, which leads to the next one itself: browsers would not send the cookie with a redirect that
 * began at the identity provider.
 */
export function signedInPage({ address }: SignIn, next: string): string {
  const href = escapeHtml(address.path + next);
  return page(
    "Signed in",
    `<main><h1>Signed in</h1><p><a href="${href}">Continue</a></p></main>`,
    `<meta http-equiv="refresh" content="0;url=${href}">`,
  );
}

export function failedPage(message: string): string {
  return page(
    "Not signed in",
    `<main><h1>Not signed in</h1><p role="alert">${escapeHtml(message)}</p><p><a class="button" href="login">Sign in</a></p></main>`,
  );
}

function page(title: string, body: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
<title>${title} · Fairlead</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="sign-in.css">
</head>
<body>
${body}
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");
}
