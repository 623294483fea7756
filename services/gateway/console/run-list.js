import { duration, element, now, shortId, took, words } from "./format.js";

/** The table of runs. Rows are kept and changed in place, so that focus and selection stay where they are. */
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

  /** Ages grow without anything being asked of the server. */
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
    const link = element("a", { href: `#${encodeURIComponent(runId)}`, "aria-label": `Run ${runId}` }, shortId(runId));
    const cells = {
      app: element("td", { "data-label": "App" }),
      user: element("span"),
      session: element("span", { class: "small" }),
      attempts: element("td", { class: "number", "data-label": "Attempts" }),
      holder: element("span"),
      epoch: element("span", { class: "small" }),
      age: element("td", { class: "number", "data-label": "Age" }),
      took: element("td", { class: "number", "data-label": "Took" }),
    };
    const root = element(
      "tr",
      {},
      element("td", {}, status),
      element("td", {}, link),
      cells.app,
      element("td", {}, cells.user, cells.session),
      cells.attempts,
      element("td", {}, cells.holder, cells.epoch),
      cells.age,
      cells.took,
    );
    const row = { root, link, status, cells };
    this.#rows.set(runId, row);
    return row;
  }

  #fill({ root, status, cells }, run) {
    status.dataset.status = run.status;
    put(status, words(run.status));
    put(cells.app, run.appName);
    put(cells.user, run.userId);
    put(cells.session, run.sessionId);
    put(cells.attempts, String(run.attempts));
    put(cells.holder, run.holder ?? "");
    put(cells.epoch, run.holder === undefined ? "" : `epoch ${run.epoch}`);
    put(cells.age, duration(now() - run.createdTime));
    put(cells.took, took(run));
    root.setAttribute("aria-current", String(run.runId === this.#selected));
  }
}

/** Text that stays the same is not written: screen readers and selections would notice. */
function put(target, text) {
  if (target.textContent !== text) target.textContent = text;
}
