import { listQuestions } from "./api.js";
import { element } from "./format.js";
import { questionForms } from "./question.js";

/** The form with a run's questions and their answers, beside the run's events. */
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

  /** Shows the run's questions. Those of the same run are not requested again, as typed text would be lost. */
  async show(run) {
    const isWaiting = run.status === "awaiting_input" && run.answeredBy === undefined;
    if (!isWaiting) return this.close();
    if (this.#runId === run.runId) return;
    this.close();
    this.#runId = run.runId;
    try {
      const questions = await listQuestions(run.runId);
      if (this.#runId !== run.runId || questions.length === 0) return;
      this.#fill(run, questions);
    } catch (error) {
      this.#onError(error);
    }
  }

  #fill(run, questions) {
    const title = questions.length === 1 ? "Waits for an answer" : `Waits for ${questions.length} answers`;
    const onAnswered = (answer) => {
      this.close();
      this.#onAnswered(answer);
    };
    const forms = questionForms(run.runId, questions, { onAnswered, onError: this.#onError });
    this.#root.replaceChildren(element("h3", {}, title), forms);
    this.#root.hidden = false;
  }
}
