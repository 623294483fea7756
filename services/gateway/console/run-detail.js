import { AnswerForm } from "./answer-form.js";
import { cancelRun, getRun, requeueRun } from "./api.js";
import { EventLog } from "./event-log.js";
import { duration, element, money, number, OVER, statusText, time, took } from "./format.js";
import { find, hasDevUi } from "./page.js";
import { RunTrace } from "./run-trace.js";

/** Shows one run: its record, its events as they arrive, and its actions. */
export class RunDetail {
  #panel = find("detail");
  #status = find("detail-status");
  #facts = find("facts");
  #outcome = find("outcome");
  #buttons = { cancel: find("cancel"), requeue: find("requeue") };
  #message = find("message");
  #links = find("links");
  #answer;
  #trace = new RunTrace();
  #log;
  #run;
  #runId;

  /** `onChange` is called when a run was started or cancelled here, and when the shown run ends. */
  constructor({ onChange, onClose }) {
    this.#log = new EventLog({ onEnd: () => this.#reload().then(onChange) });
    this.#answer = new AnswerForm({
      onAnswered: ({ runId }) => {
        location.hash = encodeURIComponent(runId);
        onChange();
      },
      onError: (error) => {
        this.#outcome.textContent = error.message;
      },
    });
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

  get runId() {
    return this.#runId;
  }

  async open(runId) {
    this.#runId = runId;
    this.#run = undefined;
    this.#panel.hidden = false;
    this.#outcome.textContent = "";
    this.#facts.replaceChildren();
    this.#links.replaceChildren();
    this.#message.hidden = true;
    this.#answer.close();
    this.#trace.close();
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
    this.#answer.close();
    this.#panel.hidden = true;
  }

  /** Shows a record of the list, where messages are shorter. */
  update(run) {
    if (run.runId !== this.#runId) return;
    this.#show({ ...run, message: this.#run?.message ?? run.message, prices: this.#run?.prices });
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
    if (this.#run?.answeredBy !== undefined && run.answeredBy === undefined) return;
    this.#run = run;
    const cancelling = run.cancelRequested && !OVER.has(run.status);
    const text = cancelling ? `${statusText(run)}, asked to end` : statusText(run);
    if (this.#status.textContent !== text) this.#status.textContent = text;
    this.#status.dataset.status = run.answeredBy === undefined ? run.status : "answered";
    this.#enable();
    this.#message.hidden = run.message === undefined;
    if (this.#message.textContent !== run.message) this.#message.textContent = run.message ?? "";
    void this.#answer.show(run);
    void this.#trace.show(run);
    this.#showLinks(run);
    const facts = factsOf(run).filter(([, value]) => value !== undefined && value !== "");
    const items = facts.flatMap(([name, value]) => [make("dt", name), make("dd", value)]);
    this.#facts.replaceChildren(...items);
  }

  #showLinks({ appName, userId, sessionId, answeredBy }) {
    const links = [];
    if (hasDevUi) {
      const query = new URLSearchParams({ app: appName, session: sessionId, userId });
      links.push(element("a", { href: `dev-ui/?${query}` }, "Open the session in the developer UI"));
    }
    if (answeredBy !== undefined)
      links.push(element("a", { href: `#${encodeURIComponent(answeredBy)}` }, "Show the run that answered"));
    const isSame = links.length === this.#links.children.length;
    // A link keeps the focus.
    if (!isSame || links.some((link, index) => link.href !== this.#links.children[index].href))
      this.#links.replaceChildren(...links);
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
    ["Error", error && `${error.reason}: ${error.message}`],
    ["App", run.appName],
    ["User", run.userId],
    ["Session", run.sessionId],
    ["Created", time(run.createdTime)],
    ["Waited", run.startedTime && duration(run.startedTime - run.createdTime)],
    ["Took", took(run)],
    ["Tokens", tokensOf(usage)],
    ["Model calls", callsOf(usage)],
    ["USD", money(run.costUsd)],
    ["Started", run.startedTime && time(run.startedTime)],
    ["Ended", run.finishedTime && time(run.finishedTime)],
    ["Deadline", run.deadline && time(run.deadline)],
    ["Invocation", run.invocationId],
    ["Started by", run.a2aMessageId && `Agent2Agent message ${run.a2aMessageId}`],
    ["Answered by", run.answeredBy],
    ["Policy", run.policy],
    ["Attempts", String(run.attempts)],
    ["Agent revision", run.agentRevision],
    ["Lease", run.holder === undefined ? "not held" : `held by ${run.holder}, epoch ${run.epoch}`],
  ];
}

function tokensOf(usage) {
  if (!usage?.totalTokenCount) return undefined;
  const { totalTokenCount, promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount } =
    usage;
  const more = [
    ...(thoughtsTokenCount ? [`${number(thoughtsTokenCount)} of thoughts`] : []),
    ...(cachedContentTokenCount ? [`${number(cachedContentTokenCount)} cached`] : []),
  ];
  const parts = [`${number(promptTokenCount ?? 0)} in`, `${number(candidatesTokenCount ?? 0)} out`, ...more];
  return `${number(totalTokenCount)} (${parts.join(", ")})`;
}

/** `3 (2 small, 1 large)`: in all, and of each model. */
function callsOf(usage) {
  const models = Object.entries(usage?.models ?? {});
  if (models.length === 0) return undefined;
  const all = models.reduce((sum, [, { calls }]) => sum + calls, 0);
  return `${number(all)} (${models.map(([model, { calls }]) => `${number(calls)} ${model}`).join(", ")})`;
}

function make(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
