import { claimEntry, listQuestions, readInbox, releaseEntry } from "./api.js";
import { duration, element, now, time } from "./format.js";
import { CardPage, find, runLink } from "./page.js";
import { questionForms, titleOf } from "./question.js";

const page = new CardPage({
  filters: { appName: "app", userId: "user" },
  pageSize: 20,
  most: 200,
  read: async (query, signal) => {
    const { entries, nextPageToken, keepsClaims = false } = await readInbox(query, signal);
    return { items: entries.map((entry) => ({ ...entry, keepsClaims })), nextPageToken };
  },
  card: (entry, known) => {
    const card = known ?? makeCard(entry);
    showClaim(card.claim, entry);
    return card;
  },
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
  const claim = element("p", { class: "quiet-text" });
  const title = element("h3", {}, titleOf(questions));
  const asked = message === undefined ? [] : [element("blockquote", {}, message)];
  const root = element("li", {}, element("div", { class: "bar" }, title, age), facts, claim, ...asked);
  void fill(root, entry);
  return { root, age, claim, waitingSince };
}

const ENDS = { reject: "is declined", approve: "is approved", fail: "ends as failed" };

/** Shows who works on the entry, and when the server answers it. An unchanged line stays, with its focus. */
function showClaim(line, { id, claim, expiresAt, onExpiry, keepsClaims }) {
  const state = JSON.stringify([claim, expiresAt, keepsClaims]);
  if (line.dataset.state === state) return;
  line.dataset.state = state;
  const held = claim && (claim.mine ? "Claimed by you" : `Claimed by ${claim.by} since ${time(claim.since)}`);
  const end = expiresAt && `Unanswered, it ${ENDS[onExpiry]} at ${time(expiresAt)}`;
  const text = [held, end].filter((part) => part !== undefined).join(" · ");
  line.replaceChildren(text, ...(keepsClaims ? [" ", claimButton(id, claim)] : []));
}

function claimButton(id, claim) {
  if (claim?.mine) return page.button("Release", () => releaseEntry(id), { said: "Released." });
  return page.button(claim === undefined ? "Claim" : "Take over", () => claimEntry(id), { said: "Claimed." });
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
