import { listApps, listQuestions, readInbox } from "./api.js";
import { Filters } from "./filters.js";
import { duration, element, now } from "./format.js";
import { questionForms, titleOf } from "./question.js";

const REFRESH_MS = 5000;
const TICK_MS = 1000;
const PAGE = 20;
const MOST = 200;

const find = (id) => document.querySelector(`#${id}`);
const form = find("filter");
const filters = new Filters(form, { appName: "app", userId: "user" });
const list = find("entries");
/** The shown entries by id. They stay as they are while they wait, so that typed text and the focus are kept. */
const shown = new Map();

let most = PAGE;
let asking;
let askedAt = 0;

/** A newer request replaces one in progress. `note` is shown until the next one. */
async function refresh(note = "") {
  asking?.abort();
  const question = new AbortController();
  asking = question;
  askedAt = performance.now();
  try {
    const page = await load(question.signal);
    if (question.signal.aborted) return;
    find("connection").textContent = note;
    show(page);
  } catch (error) {
    if (!question.signal.aborted) find("connection").textContent = error.message;
  }
}

async function load(signal) {
  const entries = [];
  let pageToken;
  do {
    const page = await readInbox({ ...filters.values, pageSize: PAGE, pageToken }, signal);
    entries.push(...page.entries);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && entries.length < most);
  return { entries, hasMore: pageToken !== undefined };
}

function show({ entries, hasMore }) {
  const waiting = new Set(entries.map(({ id }) => id));
  for (const id of shown.keys()) if (!waiting.has(id)) remove(id);
  for (const [index, entry] of entries.entries()) {
    const card = shown.get(entry.id) ?? add(entry);
    if (list.children[index] !== card.root) list.insertBefore(card.root, list.children[index] ?? null);
  }
  tick();
  const count = `${entries.length}${hasMore ? "+" : ""}`;
  find("count").textContent = `(${count})`;
  document.title = entries.length === 0 ? "Inbox · Fairlead" : `(${count}) Inbox · Fairlead`;
  find("empty").hidden = entries.length > 0;
  find("more").hidden = !hasMore || most >= MOST;
}

function add(entry) {
  const { id, appName, userId, sessionId, message, waitingSince, questions } = entry;
  const age = element("span", { class: "quiet-text" });
  const facts = element("p", { class: "quiet-text" }, `${appName} · ${userId} · ${sessionId} · `);
  facts.append(element("a", { href: `../console#${encodeURIComponent(id)}` }, "Show the run"));
  const title = element("h3", {}, titleOf(questions));
  const asked = message === undefined ? [] : [element("blockquote", {}, message)];
  const root = element("li", {}, element("div", { class: "bar" }, title, age), facts, ...asked);
  const card = { root, age, waitingSince };
  shown.set(id, card);
  void fill(root, entry);
  return card;
}

/** The questions, which are read whole where the list has cut them. */
async function fill(root, { id, questions, questionsLeft }) {
  const isCut = questionsLeft !== undefined || questions.some(({ argsCut }) => argsCut);
  // Perhaps somebody else has answered.
  const onError = (error) => void refresh(error.message);
  const onAnswered = () => {
    remove(id);
    find("waiting").focus();
    void refresh();
  };
  try {
    const whole = isCut ? await listQuestions(id) : questions;
    root.append(questionForms(id, whole, { onAnswered, onError }));
  } catch (error) {
    onError(error);
  }
}

function remove(id) {
  shown.get(id)?.root.remove();
  shown.delete(id);
}

/** Ages are updated without a request to the server. */
function tick() {
  for (const { age, waitingSince } of shown.values()) age.textContent = duration(now() - waitingSince);
}

function startOver() {
  most = PAGE;
  void refresh();
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", () => filters.write() && startOver());
find("more").addEventListener("click", () => {
  most = Math.min(MOST, most + PAGE);
  void refresh();
});
addEventListener("popstate", () => {
  filters.read();
  startOver();
});
setInterval(() => {
  if (!document.hidden && performance.now() - askedAt > REFRESH_MS) void refresh();
  tick();
}, TICK_MS);

filters.read();
await refresh();
listApps()
  .then((names) => find("apps").append(...names.map((value) => element("option", { value }))))
  // Without the list of names the user can still type one.
  .catch(() => {});
