import { listDeliveries, replayDelivery } from "./api.js";
import { duration, element, now, time } from "./format.js";
import { note, runLink } from "./page.js";

const EVERY_MS = 5000;
const PAGE = 20;
const MOST = 200;
const STATES = { "": "all", dead: "given up", waiting: "waiting", delivered: "delivered" };
const COLOURS = { dead: "failed", waiting: "awaiting_input", delivered: "succeeded" };

/** The messages of one webhook and what became of them, newest first: shown on demand, and kept up to date while they are. */
export class DeliveryList {
  #id;
  #state = element("select", {});
  #list = element("ul", { class: "deliveries" });
  #empty = element("p", { class: "quiet-text" });
  #more = element("button", { type: "button", class: "quiet" }, "Show more");
  #most = PAGE;
  #readAt = 0;
  #shown = "";

  constructor(webhookId) {
    this.#id = webhookId;
    this.#state.append(...Object.entries(STATES).map(([value, name]) => element("option", { value }, name)));
    this.#state.addEventListener("change", () => this.#startOver());
    this.#more.addEventListener("click", () => {
      this.#most += PAGE;
      void this.#read();
    });
    this.#more.hidden = true;
    const label = element("label", {}, "State", this.#state);
    this.root = element("details", {}, element("summary", {}, "Messages"), label, this.#list, this.#empty, this.#more);
    this.root.addEventListener("toggle", () => this.root.open && this.#startOver());
  }

  open() {
    if (this.root.open) this.#startOver();
    else this.root.open = true;
  }

  tick() {
    if (this.root.open && !document.hidden && performance.now() - this.#readAt > EVERY_MS) void this.#read();
  }

  #startOver() {
    this.#most = PAGE;
    this.#shown = "";
    void this.#read();
  }

  async #read() {
    this.#readAt = performance.now();
    const state = this.#state.value;
    const deliveries = [];
    let pageToken;
    try {
      do {
        const page = await listDeliveries(this.#id, { state, pageSize: PAGE, pageToken });
        deliveries.push(...page.deliveries);
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined && deliveries.length < this.#most);
    } catch (error) {
      this.#empty.textContent = error.message;
      return;
    }
    if (state !== this.#state.value) return;
    this.#empty.textContent = deliveries.length > 0 ? "" : "No messages. They are kept for a week.";
    this.#more.hidden = pageToken === undefined || this.#most >= MOST;
    const text = JSON.stringify(deliveries);
    // What has not changed stays, with the focus in it.
    if (text === this.#shown) return;
    this.#shown = text;
    this.#list.replaceChildren(...deliveries.map((delivery) => this.#row(delivery)));
  }

  #row(delivery) {
    const { id, type, state, attempts, appName, userId, sessionId, createdTime, nextTime, payload } = delivery;
    const replay = element(
      "button",
      { type: "button", class: "quiet", "aria-label": `Send again: ${type}` },
      "Send again",
    );
    replay.addEventListener("click", () => void this.#replay(id, replay));
    const runId = payload?.data?.runId;
    const tried = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
    const next = state === "waiting" && nextTime !== undefined ? [nextText(nextTime - now())] : [];
    const facts = [time(createdTime), tried, ...next, ...[appName, userId, sessionId].filter(Boolean)].join(" · ");
    return element(
      "li",
      {},
      element(
        "div",
        { class: "bar" },
        element("strong", {}, type),
        element("span", { class: "status", "data-status": COLOURS[state] }, STATES[state]),
      ),
      element("p", { class: "quiet-text" }, `${facts} `, ...(runId === undefined ? [] : [runLink(runId)])),
      ...problemsOf(delivery),
      element("p", { class: "actions" }, replay),
    );
  }

  async #replay(id, button) {
    button.disabled = true;
    try {
      await replayDelivery(this.#id, id);
      note("The message is sent again.");
      this.root.querySelector("summary").focus();
    } catch (error) {
      note(error.message, { isFailure: true });
    }
    button.disabled = false;
    await this.#read();
  }
}

/** The last failure of a message, with the receiver's answer as text. */
function problemsOf({ state, status, problem, answer }) {
  if (state === "delivered") return [];
  const said = problem ?? (status === undefined ? "" : `it answered with the status ${status}`);
  return [
    ...(said === "" ? [] : [element("p", { class: "problem" }, `Not delivered: ${said}.`)]),
    ...(answer ? [element("pre", { tabindex: "0" }, answer)] : []),
  ];
}

function nextText(leftMs) {
  return leftMs <= 0 ? "due" : `again in ${duration(leftMs)}`;
}
