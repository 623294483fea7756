import { answerRun } from "./api.js";
import { element } from "./format.js";

/**
 * The questions of a waiting run, with their answers. All answers are sent together, as soon as each question has one; a
 * run that needs its user's sign-in cannot be answered here.
 */
export function questionForms(runId, questions, { onAnswered, onError }) {
  const answers = new Map();
  const root = element("div", { class: "questions" });
  const take = async (question, response) => {
    answers.set(question.id, response);
    if (answers.size < questions.length) return;
    const controls = [...root.querySelectorAll("button, textarea")];
    for (const control of controls) control.disabled = true;
    try {
      onAnswered(await answerRun(runId, Object.fromEntries(answers)));
    } catch (error) {
      answers.clear();
      for (const control of controls) {
        control.disabled = false;
        control.removeAttribute("aria-pressed");
      }
      onError(error);
    }
  };
  root.append(...questions.map((question) => FORMS[question.kind](question, (response) => take(question, response))));
  return root;
}

/** The title of a list of questions, such as `Approve clear_tasks`. */
export function titleOf([first, ...others]) {
  const title = TITLES[first.kind](first.tool);
  return others.length === 0 ? title : `${title} and ${others.length} more`;
}

const TITLES = {
  confirmation: (tool) => `Approve ${tool}`,
  input: (tool) => `Answer ${tool}`,
  credential: (tool) => `Sign in for ${tool}`,
  work: (tool) => `Finish ${tool}`,
};

const FORMS = { confirmation, input: openQuestion, work: openQuestion, credential };

function confirmation(question, take) {
  const { id, payload } = question;
  const field =
    payload === undefined ? undefined : textField(`payload-${id}`, "Payload (JSON)", JSON.stringify(payload, null, 2));
  const approve = button("Approve", {}, () => {
    if (field === undefined) return { confirmed: true };
    const given = field.json();
    return given === undefined ? undefined : { confirmed: true, payload: given };
  });
  const reject = button("Reject", { class: "danger" }, () => ({ confirmed: false }));
  return fieldset([...asked(question), ...(field === undefined ? [] : [field.label])], [approve, reject], take);
}

function openQuestion(question, take) {
  const field = textField(`answer-${question.id}`, "Answer (text or JSON)", "");
  const send = button("Send answer", {}, () => {
    const given = parsed(field.input.value);
    const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
    return isObject ? given : { result: field.input.value };
  });
  return fieldset([...asked(question), field.label], [send], take);
}

function credential(question, take) {
  const note = element("p", {}, "Its user has to sign in, in the application that talks to the agent.");
  return fieldset([...asked(question), note], [], take);
}

/** The call, and what its tool says about it. */
function asked({ tool, args = {}, argsCut, reason }) {
  const call = element("pre", {}, argsCut ? `${tool}(…)` : `${tool}(${JSON.stringify(args, null, 2)})`);
  return reason === undefined ? [call] : [call, element("p", {}, reason)];
}

function fieldset(parts, buttons, take) {
  for (const { made, read } of buttons) {
    made.addEventListener("click", () => {
      const response = read();
      if (response === undefined) return;
      for (const other of buttons) other.made.setAttribute("aria-pressed", String(other.made === made));
      void take(response);
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

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
