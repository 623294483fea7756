import type { ListedDifference } from "../difference.ts";

export const UI: readonly ListedDifference[] = [
  {
    scenarios: "a02-server",
    steps: ["root", "dev-ui"],
    path: /^\$$/,
    cls: "different status",
    expected: /^307$/,
    actual: /^(302|200)$/,
    reason: "The root sends a browser on with the status of the Java server; the UI itself needs no second redirect.",
    follows: "wire:ui:redirect",
  },
  {
    scenarios: "a02-server",
    steps: "root",
    path: /^\$\.headers\.location$/,
    expected: /^\/dev-ui\/$/,
    actual: /^\/dev-ui$/,
    reason: "The specification names the target without a slash at its end.",
    follows: "endpoints-http:root-redirect",
  },
  {
    scenarios: "a02-server",
    steps: ["ui config", "runtime config"],
    path: /^\$\.json\.logo(_text|_image_url)?$/,
    reason: "The UI shows which server it talks to.",
    follows: "wire:ui:name",
  },
];
