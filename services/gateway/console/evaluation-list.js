import { cancelEvaluation, listEvaluations } from "./api.js";
import { element, time, words } from "./format.js";

/** Pause before the list is read again while an evaluation waits or runs. */
const EVERY_MS = 1500;

const isOpen = ({ status }) => status === "queued" || status === "running";

/** The newest evaluations of a set that this server has run, with their progress. */
export class EvaluationList {
  #section = document.querySelector("#evaluations");
  #rows = document.querySelector("#jobs");
  #note = document.querySelector("#jobs-note");
  #onSelect;
  #onEnd;
  #timer;
  #shown = {};
  /** Ids of the evaluations that were open at the last read. */
  #open = new Set();

  /** `onSelect` gets the name of a result, `onEnd` is called when an open evaluation has ended. */
  constructor({ onSelect, onEnd }) {
    this.#onSelect = onSelect;
    this.#onEnd = onEnd;
  }

  /** Shows the evaluations of the set, and keeps them up to date; none without a set. */
  async show(app, set) {
    clearTimeout(this.#timer);
    const own = { app, set };
    this.#shown = own;
    this.#open = new Set();
    this.#section.hidden = true;
    if (app !== "" && set !== "") await this.#read(own);
  }

  async #read(own) {
    clearTimeout(this.#timer);
    try {
      const evaluations = await listEvaluations(own.app, own.set);
      if (own !== this.#shown) return;
      this.#note.textContent = "";
      this.#fill(evaluations);
      const ended = evaluations.some((each) => !isOpen(each) && this.#open.has(each.jobId));
      this.#open = new Set(evaluations.filter(isOpen).map(({ jobId }) => jobId));
      if (ended) this.#onEnd();
    } catch (error) {
      if (own !== this.#shown) return;
      this.#note.textContent = error.message;
    }
    // Not if the user has chosen another set in the meantime.
    if (own === this.#shown && this.#open.size > 0) this.#timer = setTimeout(() => void this.#read(own), EVERY_MS);
  }

  #fill(evaluations) {
    this.#section.hidden = evaluations.length === 0;
    const focused = document.activeElement?.dataset?.job;
    this.#rows.replaceChildren(...evaluations.map((each) => this.#row(each)));
    // Gives the focus back, because the row that had it was replaced.
    if (focused !== undefined) this.#rows.querySelector(`[data-job="${CSS.escape(focused)}"]`)?.focus();
  }

  #row(evaluation) {
    const { jobId, status, counts, createdTime, cancelRequested, error } = evaluation;
    const { total, done, passed } = counts;
    const bar = element("progress", { max: total, value: done, "aria-label": `${done} of ${total} cases are done` });
    const shown = isOpen(evaluation) && cancelRequested ? "is being cancelled" : words(status);
    return element(
      "tr",
      { "aria-label": `Evaluation ${jobId}` },
      element("td", {}, time(createdTime)),
      element("td", {}, element("span", { class: "status", "data-status": status }, shown)),
      element("td", {}, bar, ` ${done} of ${total}, ${passed} passed`),
      element("td", {}, error?.message ?? ""),
      element("td", {}, ...this.#action(evaluation)),
    );
  }

  #action({ jobId, status, cancelRequested, evalResultId }) {
    if (evalResultId !== undefined) {
      const query = new URLSearchParams({ ...this.#shown, result: evalResultId });
      const result = element("a", { href: `?${query}`, "data-job": jobId }, "Show result");
      result.addEventListener("click", (event) => {
        event.preventDefault();
        this.#onSelect(evalResultId);
      });
      return [result];
    }
    if (!isOpen({ status })) return [];
    const cancel = element("button", { type: "button", "data-job": jobId }, "Cancel");
    cancel.disabled = cancelRequested;
    cancel.addEventListener("click", () => void this.#cancel(jobId, cancel));
    return [cancel];
  }

  async #cancel(jobId, button) {
    button.disabled = true;
    const own = this.#shown;
    try {
      await cancelEvaluation(jobId);
    } catch (error) {
      button.disabled = false;
      this.#note.textContent = error.message;
      return;
    }
    if (own === this.#shown) await this.#read(own);
  }
}
