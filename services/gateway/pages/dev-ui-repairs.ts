/**
 * Runs beside the developer UI's own script. The UI's assistant takes an answer over without telling its framework, so
 * that the panel stays empty, or shows three dots, until somebody types into it. A key without a name makes the framework
 * look again, and means nothing to the panel.
 *
 * Some of the UI's buttons do nothing if the server refuses their request, such as a new evaluation set whose name is not
 * allowed. The server's message is then shown, unless the UI shows one itself.
 */
export const REPAIRS_SCRIPT = `const PANEL = "app-builder-assistant";
const WAITING = PANEL + " :is(.dots, .assistant-placeholder)";
setInterval(() => {
  if (document.hidden || document.querySelector(WAITING) === null) return;
  document.querySelector(PANEL + " textarea")?.dispatchEvent(new KeyboardEvent("keydown"));
}, 300);

const SAID = "mat-snack-bar-container, [data-refusal]";
const openAsBefore = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (method, ...rest) {
  if (method.toUpperCase() !== "GET")
    this.addEventListener("load", () => {
      if (this.status >= 400) setTimeout(() => tell(this), 500);
    });
  return openAsBefore.call(this, method, ...rest);
};

function tell(request) {
  if (document.querySelector(SAID) !== null) return;
  let message = "The server answered " + request.status + ".";
  try {
    message = (typeof request.response === "string" ? JSON.parse(request.response) : request.response).message ?? message;
  } catch {}
  const note = document.createElement("div");
  note.setAttribute("role", "alert");
  note.setAttribute("data-refusal", "");
  note.textContent = message;
  // In the top layer, because a dialog of the UI makes the page behind it unreadable to screen readers.
  (document.querySelector("mat-dialog-container") ?? document.body).append(note);
  setTimeout(() => note.remove(), 8000);
}
`;

/** The system colours of the developer UI, which have a value in both themes, for colours that it uses and never defines. */
const COLORS: Readonly<Record<string, readonly string[]>> = {
  "on-surface": [
    ...["text-primary-color", "text-secondary-color", "text-tertiary-color", "icon-color", "button-text-color"],
    ...["add-button-text-color", "button-secondary-text-color", "button-secondary-hover-text-color"],
    ...["canvas-handle-fill", "canvas-reconnect-handle-fill"],
  ],
  "on-surface-variant": ["text-muted-color", "breadcrumb-separator-color"],
  outline: [
    ...["canvas-node-border", "canvas-group-border", "canvas-empty-group-border", "button-border-color"],
    ...["button-secondary-border-color", "canvas-instruction-border", "canvas-workflow-chip-border"],
  ],
  "outline-variant": ["border-color", "tool-item-border-color", "canvas-node-chip-outline"],
  primary: [
    ...["accent-color", "text-link-color", "button-hover-border-color"],
    ...["button-primary-background-color", "button-primary-text-color"],
    ...["canvas-node-hover-border", "canvas-empty-group-hover-border"],
  ],
};

/** Makes the editor's canvas readable in the dark theme: it writes in the theme's light text on a white ground. */
export const EDITOR_COLORS = `html{${Object.entries(COLORS)
  .flatMap(([system, names]) => names.map((name) => `--builder-${name}:var(--mat-sys-${system});`))
  .join("")}}vflow .root-svg{background-color:var(--mat-sys-surface)!important}`;

/** Shows what the server has refused, and says that a session has no artifacts where the UI leaves its tab empty. */
export const MISSING_WORDS = `[data-refusal]{position:fixed;bottom:1rem;left:50%;transform:translateX(-50%);z-index:2000;max-width:min(40rem,90vw);padding:.75rem 1rem;border-radius:6px;background:#8c1d18;color:#fff;overflow-wrap:anywhere}app-artifact-tab .artifact-container:not(:has(*))::after{content:"This session has no artifacts.";display:block;padding:1rem}`;

/** Buttons of the developer UI that can do nothing where the server has no editor, or the caller may not use it. */
export const WITHOUT_EDITOR = `button[aria-label="Create new agent"]{display:none}`;
