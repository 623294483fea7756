// Shows who is signed in, with a button to sign out, and how to sign in again when the session has ended.
// Pages that have a place for the user mark it with `data-signed-in`.

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
  const { source, subject, userId } = await response.json();
  if (source === "none" || place === null) return;
  place.replaceChildren(element("span", { textContent: userId ?? subject, title: subject }));
  if (source !== "session") return;
  const button = element("button", { type: "button", textContent: "Sign out" });
  button.addEventListener("click", async () => {
    await fetch(at("logout"), { method: "POST" });
    location.assign(at("login"));
  });
  place.append(" ", button);
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
  if (refused) showEnd();
}).observe({ type: "resource", buffered: true });

await showUser().catch(() => {});
