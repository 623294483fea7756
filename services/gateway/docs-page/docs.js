// Opens the API's description in Swagger UI, which the script before this one provides. Runs in the browser as it is.

import { keepAccessible } from "./accessible.js";

/**
 * The subjects that a new user needs are open at first. The others are closed, because each operation that is shown
 * takes time to render.
 */
const OPEN_TAGS = ["apps", "sessions", "runs"];

const colours = matchMedia("(prefers-color-scheme: dark)");
const followColours = () => document.documentElement.classList.toggle("dark-mode", colours.matches);
colours.addEventListener("change", followColours);
followColours();

const api = await (await fetch("openapi.json")).json();
// Makes addresses absolute, because the page shows them for copying.
for (const server of api.servers) server.url = new URL(server.url, document.baseURI).href.replace(/\/$/, "");

keepAccessible(document.querySelector("#api"));

const ui = globalThis.SwaggerUIBundle({
  spec: api,
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [hideTry, fillFromAnswers],
  onComplete: () => {
    for (const tag of OPEN_TAGS) ui.layoutActions.show(["operations-tag", tag], true);
  },
});

/** Some requests cannot be sent from a page in a useful way; the document marks them. */
function hideTry() {
  const isAllowed = (original) => (state, path, method) =>
    original(state, path, method) && operationAt(path, method)?.["x-try-it-out"] !== false;
  return { statePlugins: { spec: { wrapSelectors: { allowTryItOutFor: isAllowed } } } };
}

/** Fills in parameters of other operations, such as the id of a run, as the links of an answer describe. */
function fillFromAnswers() {
  const setResponse = (original) => (path, method, response) => {
    const result = original(path, method, response);
    const { links = {} } = operationAt(path, method)?.responses?.[response.status] ?? {};
    for (const { operationId, parameters } of Object.values(links))
      for (const [name, expression] of Object.entries(parameters)) fill(operationId, name, read(response, expression));
    return result;
  };
  return { statePlugins: { spec: { wrapActions: { setResponse } } } };
}

function fill(operationId, name, value) {
  if (value === undefined) return;
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.operationId !== operationId) continue;
      ui.specActions.changeParam([path, method], name, "path", value);
    }
  }
}

/** The value at the JSON pointer of an expression such as `$response.body#/runId`. */
function read({ text }, expression) {
  const [, pointer = ""] = expression.split("#/");
  try {
    return pointer.split("/").reduce((value, key) => value?.[key], JSON.parse(text));
  } catch {
    // An answer that is not JSON has no values.
    return undefined;
  }
}

function operationAt(path, method) {
  return api.paths[path]?.[method];
}
