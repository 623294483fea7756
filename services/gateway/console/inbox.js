import { listQuestions, readInbox } from "./api.js";
import { duration, element, now } from "./format.js";
import { CardPage, find, runLink } from "./page.js";
import { questionForms, titleOf } from "./question.js";

const page = new CardPage({
  filters: { appName: "app", userId: "user" },
  pageSize: 20,
  most: 200,
  read: async (query, signal) => {
    const { entries, nextPageToken } = await readInbox(query, signal);
    return { items: entries, nextPageToken };
  },
  card: (entry, known) => known ?? makeCard(entry),
  tick: ({ age, waitingSince }) => {
    age.textContent = duration(now() - waitingSince);
  },
  onShow: (count) => {
    document.title = count === "0" ? "Inbox · Fairlead" : `(${count}) Inbox · Fairlead`;
  },
});

function makeCard(entry) {
  const { id, appName, userId, sessionId, message, waitingSince, questions } = entry;
  const age = element("span", { class: "quiet-text" });
  const facts = element("p", { class: "quiet-text" }, `${appName} · ${userId} · ${sessionId} · `, runLink(id));
  const title = element("h3", {}, titleOf(questions));
  const asked = message === undefined ? [] : [element("blockquote", {}, message)];
  const root = element("li", {}, element("div", { class: "bar" }, title, age), facts, ...asked);
  void fill(root, entry);
  return { root, age, waitingSince };
}

/** The questions, which are read whole where the list has cut them. */
async function fill(root, { id, questions, questionsLeft }) {
  const isCut = questionsLeft !== undefined || questions.some(({ argsCut }) => argsCut);
  // Perhaps somebody else has answered.
  const onError = (error) => void page.refresh(error.message);
  const onAnswered = () => {
    page.remove(id);
    find("waiting").focus();
    void page.refresh();
  };
  try {
    const whole = isCut ? await listQuestions(id) : questions;
    root.append(questionForms(id, whole, { onAnswered, onError }));
  } catch (error) {
    onError(error);
  }
}
