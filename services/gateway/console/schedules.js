import { changeSchedule, deleteSchedule, listApps, listSchedules } from "./api.js";
import { Filters } from "./filters.js";
import { duration, element, now, time } from "./format.js";

const REFRESH_MS = 5000;
const TICK_MS = 1000;
const PAGE = 50;
const MOST = 500;

const find = (id) => document.querySelector(`#${id}`);
const form = find("filter");
const filters = new Filters(form, { appName: "app", userId: "user" });
const list = find("entries");
/** The shown schedules by id, each with the text that it was made of: what has not changed stays, with the focus in it. */
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
    const schedules = [];
    let pageToken;
    do {
      const page = await listSchedules({ ...filters.values, pageSize: PAGE, pageToken }, question.signal);
      schedules.push(...page.schedules);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && schedules.length < most);
    if (question.signal.aborted) return;
    find("connection").textContent = note;
    show(schedules, pageToken !== undefined);
  } catch (error) {
    if (!question.signal.aborted) find("connection").textContent = error.message;
  }
}

function show(schedules, hasMore) {
  const ids = new Set(schedules.map(({ id }) => id));
  for (const id of shown.keys()) if (!ids.has(id)) remove(id);
  for (const [index, schedule] of schedules.entries()) {
    const card = cardOf(schedule);
    if (list.children[index] !== card.root) list.insertBefore(card.root, list.children[index] ?? null);
  }
  tick();
  find("count").textContent = `(${schedules.length}${hasMore ? "+" : ""})`;
  find("empty").hidden = schedules.length > 0;
  find("more").hidden = !hasMore || most >= MOST;
}

function cardOf(schedule) {
  const { id, appName, userId, name, source, cron, timeZone, at, enabled, nextTime, newMessage, lastTicks } = schedule;
  const text = JSON.stringify(schedule);
  const known = shown.get(id);
  if (known?.text === text) return known;
  const when = cron === undefined ? `at ${at}` : `${cron} (${timeZone})`;
  const title = element("h3", {}, name ?? when);
  const next = element("span", { class: "quiet-text" });
  const facts = [appName, userId, ...(name === undefined ? [] : [when]), ...(source === "app" ? ["of the app"] : [])];
  const message = (newMessage.parts ?? []).map((part) => part.text ?? "").join(" ");
  const root = element(
    "li",
    {},
    element("div", { class: "bar" }, title, next),
    element("p", { class: "quiet-text" }, facts.join(" \u00b7 ")),
    element("blockquote", {}, message.slice(0, 200)),
    ticksOf(lastTicks),
    buttonsOf(schedule),
  );
  known?.root.remove();
  const card = { root, next, nextTime, enabled, text };
  shown.set(id, card);
  return card;
}

function ticksOf(ticks) {
  if (ticks.length === 0) return element("p", { class: "quiet-text" }, "No tick yet.");
  const rows = ticks.slice(0, 3).map(({ time: due, outcome, runId, reason, count }) => {
    const more = reason ?? (count === undefined ? "" : `${count} times`);
    const row = element("li", {}, `${time(due)}: ${outcome} ${more} `);
    if (runId !== undefined)
      row.append(element("a", { href: `../console#${encodeURIComponent(runId)}` }, "Show the run"));
    return row;
  });
  return element("ul", {}, ...rows);
}

function buttonsOf({ id, enabled, source }) {
  const bar = element("div", { class: "bar" });
  const add = (label, work, done) => {
    const button = element("button", { type: "button", class: "quiet" }, label);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        await work();
        find("schedules").focus();
        await refresh(done);
      } catch (error) {
        await refresh(error.message);
      }
      button.disabled = false;
    });
    bar.append(button);
  };
  add("Start now", () => changeSchedule(id, "trigger"), "A run has started.");
  if (enabled) add("Pause", () => changeSchedule(id, "pause"), "Paused.");
  else add("Resume", () => changeSchedule(id, "resume"), "Resumed.");
  if (source === "user")
    add(
      "Delete",
      async () => {
        if (confirm("Delete this schedule? Its runs and sessions stay.")) await deleteSchedule(id);
      },
      "",
    );
  return bar;
}

function remove(id) {
  shown.get(id)?.root.remove();
  shown.delete(id);
}

/** Times are updated without a request to the server. */
function tick() {
  for (const { next, nextTime, enabled } of shown.values())
    next.textContent = nextText(enabled, nextTime === undefined ? undefined : nextTime - now());
}

function nextText(enabled, leftMs) {
  if (!enabled) return "paused";
  if (leftMs === undefined) return "over";
  return leftMs <= 0 ? "due" : `in ${duration(leftMs)}`;
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
