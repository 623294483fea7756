import { answerRun, listCalls } from "./api.js";
import { element } from "./format.js";

const CONFIRMATION = "adk_request_confirmation";

/**
 * The form with a run's waiting calls and their answers. All answers of a run are sent in one message, as soon as each
 * call has one.
 */
export class AnswerForm {
  #root = document.querySelector("#answer");
  #onAnswered;
  #onError;
  #runId;

  constructor({ onAnswered, onError }) {
    this.#onAnswered = onAnswered;
    this.#onError = onError;
  }

  close() {
    this.#runId = undefined;
    this.#root.hidden = true;
    this.#root.replaceChildren();
  }

  /** Shows the run's waiting calls. Those of the same run are not requested again, as typed text would be lost. */
  async show(run) {
    const isWaiting = run.status === "awaiting_input" && run.answeredBy === undefined;
    if (!isWaiting) return this.close();
    if (this.#runId === run.runId) return;
    this.close();
    this.#runId = run.runId;
    try {
      const calls = await listCalls(run.runId);
      if (this.#runId !== run.runId || calls.length === 0) return;
      this.#fill(run, calls);
    } catch (error) {
      this.#onError(error);
    }
  }

  #fill(run, calls) {
    const answers = new Map();
    const take = (call, response) => {
      answers.set(call.id, response);
      if (answers.size === calls.length) void this.#send(run, calls, answers);
    };
    const title = calls.length === 1 ? "Waits for an answer" : `Waits for ${calls.length} answers`;
    const questions = calls.map((call) => question(call, (response) => take(call, response)));
    this.#root.replaceChildren(element("h3", {}, title), ...questions);
    this.#root.hidden = false;
  }

  async #send(run, calls, answers) {
    const controls = [...this.#root.querySelectorAll("button, textarea")];
    for (const control of controls) control.disabled = true;
    const parts = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: answers.get(id) } }));
    try {
      const answer = await answerRun(run, parts);
      this.close();
      this.#onAnswered(answer);
    } catch (error) {
      answers.clear();
      for (const control of controls) control.disabled = false;
      for (const control of controls) control.removeAttribute("aria-pressed");
      this.#onError(error);
    }
  }
}

function question(call, take) {
  return call.name === CONFIRMATION ? confirmation(call, take) : openQuestion(call, take);
}

function confirmation({ id, args }, take) {
  const { originalFunctionCall: original = {}, toolConfirmation = {} } = args;
  const { hint, payload } = toolConfirmation;
  const parts = [callText(original.name, original.args)];
  if (hint) parts.push(element("p", {}, hint));
  const hasPayload = payload !== undefined && payload !== null;
  const field = hasPayload ? textField(`payload-${id}`, "Payload (JSON)", JSON.stringify(payload, null, 2)) : undefined;
  if (field !== undefined) parts.push(field.label);
  const approve = button("Approve", {}, () => {
    if (field === undefined) return { confirmed: true };
    const given = field.json();
    return given === undefined ? undefined : { confirmed: true, payload: given };
  });
  const reject = button("Reject", { class: "danger" }, () => ({ confirmed: false }));
  return fieldset(parts, [approve, reject], take);
}

function openQuestion({ id, name, args }, take) {
  const field = textField(`answer-${id}`, "Answer (text or JSON)", "");
  const send = button("Send answer", {}, () => {
    const given = parsed(field.input.value);
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
    return isObject ? given : { result: field.input.value };
  });
  return fieldset([callText(name, args), field.label], [send], take);
}

function fieldset(parts, buttons, take) {
  for (const { made, read } of buttons) {
    made.addEventListener("click", () => {
      const response = read();
      if (response === undefined) return;
      for (const other of buttons) other.made.setAttribute("aria-pressed", String(other.made === made));
      take(response);
    });
  }
  const row = element("p", { class: "actions" }, ...buttons.map(({ made }) => made));
  return element("fieldset", {}, ...parts, row);
}

function button(text, attributes, read) {
  return { made: element("button", { type: "button", ...attributes }, text), read };
}

function textField(id, name, value) {
  const input = element("textarea", { id, rows: "3", spellcheck: "false" });
  input.value = value;
  const label = element("label", {}, name, input);
  const json = () => {
    const given = parsed(input.value);
    input.setCustomValidity(given === undefined ? "This is no JSON." : "");
    input.reportValidity();
    return given;
  };
  return { input, label, json };
}

function callText(name = "", args = {}) {
  return element("pre", {}, `${name}(${JSON.stringify(args, null, 2)})`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
