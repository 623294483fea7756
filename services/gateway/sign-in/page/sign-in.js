// Signs in with an API key, and leaves the page if the user is signed in already or an identity provider renews that.

const { next } = document.querySelector("main").dataset;
const outcome = document.querySelector("#outcome");

async function leaveIfSignedIn() {
  const response = await fetch("me", { headers: { accept: "application/json" } });
  if (response.ok) location.replace(next);
  return response.ok;
}

document.querySelector("#key")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  outcome.textContent = "";
  try {
    const response = await fetch("login", {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ key: form.elements.key.value }),
    });
    if (!response.ok) {
      const { message } = await response.json().catch(() => ({}));
      outcome.textContent = message ?? `The server answered ${response.status}.`;
    } else if (!(await leaveIfSignedIn())) {
      outcome.textContent =
        "The browser has not kept the cookie. Open this page by https, or on this machine as localhost.";
    }
  } catch {
    outcome.textContent = "The server cannot be reached.";
  }
});

async function leaveIfRenewed() {
  const renew = () => fetch("refresh", { method: "POST", headers: { accept: "application/json" } });
  const { status } = await navigator.locks.request("fairlead-session", renew);
  if (status === 200) await leaveIfSignedIn();
}

// A link from another site comes without the cookie; this request of our own page has it.
if (!(await leaveIfSignedIn().catch(() => false))) await leaveIfRenewed().catch(() => {});
