// Shows who is signed in, with a button or a link to sign out, renews the session in time, and shows how to sign in again when it
// has ended. Pages that have a place for the user mark it with `data-signed-in`.

/** Before the end of the session. */
const RENEW_BEFORE_MS = 60_000;
const SHORTEST_WAIT_MS = 5000;

const at = (name) => new URL(name, import.meta.url);
const place = document.querySelector("[data-signed-in]");

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

/** The login page, which then leads back to this one. */
function signInAddress() {
  const address = at("login");
  const root = at("..").pathname.replace(/\/$/, "");
  address.searchParams.set("next", location.pathname.slice(root.length) + location.search + location.hash);
  return address.href;
}

async function showUser() {
  const response = await fetch(at("me"), { headers: { accept: "application/json" } });
  if (!response.ok) return;
  const { source, subject, tenantId, userId, expiresAtMs, signOutUrl } = await response.json();
  if (source === "session") renewInTime(response, expiresAtMs);
  if (source === "none" || place === null) return;
  const name = userId ?? subject;
  const textContent = tenantId === undefined ? name : `${name} (${tenantId})`;
  place.replaceChildren(element("span", { textContent, title: subject }));
  if (signOutUrl !== undefined) place.append(" ", element("a", { href: signOutUrl, textContent: "Sign out" }));
  if (source !== "session") return;
  const button = element("button", { type: "button", textContent: "Sign out" });
  button.addEventListener("click", async () => {
    await fetch(at("logout"), { method: "POST" });
    location.assign(at("login"));
  });
  place.append(" ", button);
}

/** Renews the session before it ends, by the server's clock. */
function renewInTime({ headers }, expiresAtMs) {
  // biome-ignore lint/style/noRestrictedGlobals: it reads a header; no page has a Clock.
  const leftMs = expiresAtMs - Date.parse(headers.get("date"));
  const waitMs = Math.max(leftMs - RENEW_BEFORE_MS, leftMs / 2, SHORTEST_WAIT_MS);
  setTimeout(() => void renew().catch(() => {}), waitMs);
}

/** Whether the session is valid again. One page of the browser at a time: a provider may accept a token once only. */
function renew() {
  return navigator.locks.request("fairlead-session", async () => {
    const response = await fetch(at("refresh"), { method: "POST", headers: { accept: "application/json" } });
    if (response.status !== 200) return false;
    renewInTime(response, (await response.json()).expiresAtMs);
    return true;
  });
}

let ending = false;

/** Shows the dialog unless the session can be renewed. */
async function handleEnd() {
  if (ending) return;
  ending = true;
  const isRenewed = await renew().catch(() => false);
  ending = false;
  if (!isRenewed) showEnd();
}

function showEnd() {
  if (document.querySelector("#session-ended")) return;
  const dialog = element("dialog", { id: "session-ended" });
  dialog.setAttribute("aria-labelledby", "session-ended-title");
  dialog.append(
    element("h2", { id: "session-ended-title", textContent: "You are signed out" }),
    element("p", { textContent: "The session has ended. What the page shows stays until you leave it." }),
    element("a", { href: signInAddress(), textContent: "Sign in again" }),
  );
  document.body.append(dialog);
  dialog.showModal();
}

// Finds refused requests of the page's own scripts, whichever way they are sent.
new PerformanceObserver((list) => {
  const refused = list
    .getEntries()
    .some(({ responseStatus, name }) => responseStatus === 401 && name.startsWith(`${location.origin}/`));
  if (refused) void handleEnd();
}).observe({ type: "resource", buffered: true });

await showUser().catch(() => {});
