import { openStream } from "./api.js";
import { element } from "./format.js";

/** Most events that are shown of a run; the oldest are removed. */
const MAX_EVENTS = 500;

/**
 * Shows the events of one run as its stream delivers them; the partial events of an unfinished event are below them.
 */
export class EventLog {
  #list = document.querySelector("#events");
  #partial = document.querySelector("#partial");
  #state = document.querySelector("#stream-state");
  #onEnd;
  #source;
  #shown = new Set();

  constructor({ onEnd }) {
    this.#onEnd = onEnd;
  }

  follow(runId) {
    this.close();
    const source = openStream(runId);
    this.#source = source;
    this.#showState("connecting…");
    source.addEventListener("open", () => this.#showState("live"));
    source.addEventListener("message", ({ data }) => this.#add(JSON.parse(data)));
    source.addEventListener("attempt", ({ data }) => {
      this.#clearChunks();
      this.#note(`Attempt ${JSON.parse(data).attempt}: another runner has taken the run up.`);
    });
    source.addEventListener("resync", () => this.#clearChunks());
    source.addEventListener("end", () => {
      source.close();
      this.#clearChunks();
      this.#showState("complete");
      this.#onEnd();
    });
    // The browser reconnects by itself, with the position that it has reached.
    source.addEventListener("error", () => {
      this.#showState(source.readyState === EventSource.CLOSED ? "not available" : "reconnecting…");
    });
  }

  close() {
    this.#source?.close();
    this.#source = undefined;
    this.#shown.clear();
    this.#list.replaceChildren();
    this.#clearChunks();
    this.#showState("");
  }

  #add(event) {
    if (event.error !== undefined && event.id === undefined) return this.#note(event.error);
    if (event.partial === true) return this.#grow(textOf(event));
    this.#clearChunks();
    // After a gap complete events may be repeated.
    if (this.#shown.has(event.id)) return;
    this.#shown.add(event.id);
    const item = element("li", {}, element("span", { class: "author" }, event.author ?? ""));
    for (const line of linesOf(event)) item.append(element("p", { class: "said" }, line));
    const json = element("pre", {});
    const details = element("details", {}, element("summary", {}, "JSON"), json);
    details.addEventListener("toggle", () => {
      json.textContent = details.open ? JSON.stringify(event, null, 2) : "";
    });
    item.append(details);
    this.#append(item);
  }

  #note(text) {
    this.#append(element("li", { class: "note" }, text));
  }

  #append(item) {
    this.#list.append(item);
    if (this.#list.children.length > MAX_EVENTS) this.#list.firstElementChild.remove();
  }

  #grow(text) {
    this.#partial.hidden = false;
    this.#partial.append(text);
  }

  #clearChunks() {
    this.#partial.hidden = true;
    this.#partial.replaceChildren();
  }

  #showState(text) {
    this.#state.textContent = text;
  }
}

function textOf({ content }) {
  return (content?.parts ?? []).map(({ text }) => text ?? "").join("");
}

/** The content of an event, one line for each part. */
function linesOf(event) {
  const lines = [];
  for (const { text, functionCall, functionResponse, inlineData, fileData } of event.content?.parts ?? []) {
    if (text) lines.push(text);
    if (functionCall) lines.push(`→ ${functionCall.name}(${JSON.stringify(functionCall.args ?? {})})`);
    if (functionResponse) lines.push(`← ${functionResponse.name}: ${JSON.stringify(functionResponse.response ?? {})}`);
    if (inlineData ?? fileData) lines.push(`[${(inlineData ?? fileData).mimeType ?? "data"}]`);
  }
  const { "a2a:peer": peer, "a2a:task_id": taskId } = event.customMetadata ?? {};
  if (peer) lines.push(`remote agent ${peer}${taskId ? `, task ${taskId}` : ""}`);
  if (event.errorCode) lines.push(`${event.errorCode}: ${event.errorMessage ?? ""}`);
  for (const name of Object.keys(event.actions?.artifactDelta ?? {})) lines.push(`saved ${name}`);
  return lines;
}
