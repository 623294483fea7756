import { cancelRun, getRun, requeueRun } from "./api.js";
import { EventLog } from "./event-log.js";
import { OVER, time, took, words } from "./format.js";

const find = (id) => document.querySelector(`#${id}`);

/** One run: its record, its events as they come, and what can be done with it. */
export class RunDetail {
  #panel = find("detail");
  #status = find("detail-status");
  #facts = find("facts");
  #outcome = find("outcome");
  #buttons = { cancel: find("cancel"), requeue: find("requeue") };
  #log;
  #run;
  #runId;

  /** `onChange` is told of a run that was started or cancelled here, and of the end of the one that is shown. */
  constructor({ onChange, onClose }) {
    this.#log = new EventLog({ onEnd: () => this.#reload().then(onChange) });
    find("close").addEventListener("click", onClose);
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") onClose();
    });
    this.#buttons.cancel.addEventListener("click", () => this.#act(cancelRun, () => this.#reload().then(onChange)));
    this.#buttons.requeue.addEventListener("click", () =>
      this.#act(requeueRun, ({ runId }) => {
        location.hash = encodeURIComponent(runId);
        onChange();
      }),
    );
  }

  async open(runId) {
    this.#runId = runId;
    this.#run = undefined;
    this.#panel.hidden = false;
    this.#outcome.textContent = "";
    this.#facts.replaceChildren();
    this.#status.textContent = "";
    find("detail-title").textContent = `Run ${runId}`;
    find("detail-title").focus();
    for (const button of Object.values(this.#buttons)) button.disabled = true;
    this.#log.close();
    await this.#reload();
    if (this.#run !== undefined && this.#runId === runId) this.#log.follow(runId);
  }

  close() {
    this.#runId = undefined;
    this.#log.close();
    this.#panel.hidden = true;
  }

  /** Shows a record that came with the list. */
  update(run) {
    if (run.runId === this.#runId) this.#show(run);
  }

  async #reload() {
    const runId = this.#runId;
    if (runId === undefined) return;
    try {
      const run = await getRun(runId);
      if (runId === this.#runId) this.#show(run);
    } catch (error) {
      if (runId === this.#runId) this.#outcome.textContent = error.message;
    }
  }

  async #act(action, then) {
    const runId = this.#runId;
    this.#outcome.textContent = "";
    for (const button of Object.values(this.#buttons)) button.disabled = true;
    try {
      await then(await action(runId));
    } catch (error) {
      this.#outcome.textContent = error.message;
    }
    this.#enable();
  }

  #show(run) {
    // The list may have been read before the record.
    if (this.#run !== undefined && OVER.has(this.#run.status) && !OVER.has(run.status)) return;
    this.#run = run;
    const cancelling = run.cancelRequested && !OVER.has(run.status);
    const text = cancelling ? `${words(run.status)}, asked to end` : words(run.status);
    if (this.#status.textContent !== text) this.#status.textContent = text;
    this.#status.dataset.status = run.status;
    this.#enable();
    const facts = factsOf(run).filter(([, value]) => value !== undefined && value !== "");
    const items = facts.flatMap(([name, value]) => [make("dt", name), make("dd", value)]);
    this.#facts.replaceChildren(...items);
  }

  #enable() {
    const run = this.#run;
    this.#buttons.cancel.disabled = run === undefined || OVER.has(run.status) || run.cancelRequested;
    this.#buttons.requeue.disabled = run === undefined;
    const isOver = run === undefined || OVER.has(run.status);
    this.#buttons.requeue.textContent = isOver ? "Requeue" : "Cancel and requeue";
  }
}

function factsOf(run) {
  const { error, usage } = run;
  return [
    ["App", run.appName],
    ["User", run.userId],
    ["Session", run.sessionId],
    ["Invocation", run.invocationId],
    ["Policy", run.policy],
    ["Attempts", String(run.attempts)],
    ["Lease", run.holder === undefined ? "not held" : `held by ${run.holder}`],
    ["Epoch", String(run.epoch)],
    ["Created", time(run.createdTime)],
    ["Started", run.startedTime && time(run.startedTime)],
    ["Ended", run.finishedTime && time(run.finishedTime)],
    ["Took", took(run)],
    ["Deadline", run.deadline && time(run.deadline)],
    ["Tokens", usage?.totalTokenCount && String(usage.totalTokenCount)],
    ["Error", error && `${error.reason}: ${error.message}`],
  ];
}

function make(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
