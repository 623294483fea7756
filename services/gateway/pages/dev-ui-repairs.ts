/**
 * Runs beside the developer UI's own script. The UI's assistant takes an answer over without telling its framework, so
 * that the panel stays empty, or shows three dots, until somebody types into it. A key without a name makes the framework
 * look again, and means nothing to the panel.
 */
export const REPAIRS_SCRIPT = `const PANEL = "app-builder-assistant";
const WAITING = PANEL + " :is(.dots, .assistant-placeholder)";
setInterval(() => {
  if (document.hidden || document.querySelector(WAITING) === null) return;
  document.querySelector(PANEL + " textarea")?.dispatchEvent(new KeyboardEvent("keydown"));
}, 300);
`;

/** Buttons of the developer UI that can do nothing where the server has no editor, or the caller may not use it. */
export const WITHOUT_EDITOR = `button[aria-label="Create new agent"]{display:none}`;
