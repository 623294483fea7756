import { duration, element, money, now, number, shortId, statusText, took } from "./format.js";

/** The table of runs. Rows are kept and updated, so that focus and selection stay in place. */
export class RunList {
  #rows = new Map();
  #body = document.querySelector("#rows");
  #runs = [];
  #selected;

  show(runs, selected) {
    this.#runs = runs;
    this.#selected = selected;
    const kept = new Set(runs.map(({ runId }) => runId));
    for (const [runId, row] of this.#rows) {
      if (kept.has(runId)) continue;
      row.root.remove();
      this.#rows.delete(runId);
    }
    for (const [index, run] of runs.entries()) {
      const row = this.#rows.get(run.runId) ?? this.#add(run);
      if (this.#body.children[index] !== row.root)
        this.#body.insertBefore(row.root, this.#body.children[index] ?? null);
      this.#fill(row, run);
    }
  }

  /** Ages are updated without a request to the server. */
  tick() {
    for (const run of this.#runs) {
      const row = this.#rows.get(run.runId);
      if (row !== undefined) this.#fill(row, run);
    }
  }

  select(runId) {
    this.#selected = runId;
    this.tick();
  }

  focus(runId) {
    this.#rows.get(runId)?.link.focus();
  }

  #add({ runId }) {
    const status = element("span", { class: "status" });
    const name = { href: `#${encodeURIComponent(runId)}`, "aria-label": `Run ${runId}`, title: runId };
    const link = element("a", name, shortId(runId));
    const cells = {
      message: element("span", { class: "said-first clip" }),
      app: element("td", { class: "clip", "data-label": "App" }),
      user: element("span", { class: "clip" }),
      session: element("span", { class: "small clip" }),
      notes: element("span", { class: "small clip" }),
      tokens: element("td", { class: "number extra", "data-label": "Tokens" }),
      cost: element("td", { class: "number extra", "data-label": "USD" }),
      age: element("td", { class: "number", "data-label": "Age" }),
      took: element("td", { class: "number extra", "data-label": "Took" }),
    };
    const root = element(
      "tr",
      {},
      element("td", {}, status, cells.notes),
      element("td", { class: "main-cell" }, link, cells.message),
      cells.app,
      element("td", {}, cells.user, cells.session),
      cells.tokens,
      cells.cost,
      cells.age,
      cells.took,
    );
    const row = { root, link, status, cells };
    this.#rows.set(runId, row);
    return row;
  }

  #fill({ root, status, cells }, run) {
    status.dataset.status = run.answeredBy === undefined ? run.status : "answered";
    put(status, statusText(run));
    putClipped(cells.message, run.message ?? "");
    putClipped(cells.app, run.appName);
    putClipped(cells.user, run.userId);
    putClipped(cells.session, run.sessionId);
    putClipped(cells.notes, notesOf(run).join(", "));
    put(cells.tokens, number(run.usage?.totalTokenCount));
    put(cells.cost, money(run.costUsd));
    put(cells.age, duration(now() - run.createdTime));
    put(cells.took, took(run));
    root.setAttribute("aria-current", String(run.runId === this.#selected));
  }
}

/** A run that has succeeded can have an error too: the newest one that its events report. */
function notesOf({ error, attempts }) {
  return [...(error === undefined ? [] : [error.reason]), ...(attempts > 1 ? [`${attempts} attempts`] : [])];
}

/** Unchanged text is not written, because screen readers and selections would notice it. */
function put(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Long text is cut off, and shown in full as a tooltip. */
function putClipped(target, text) {
  put(target, text);
  if (target.title !== text) target.title = text;
}
