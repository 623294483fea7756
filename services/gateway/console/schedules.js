import { changeSchedule, deleteSchedule, listSchedules } from "./api.js";
import { duration, element, now, time } from "./format.js";
import { CardPage, runLink } from "./page.js";

const page = new CardPage({
  filters: { appName: "app", userId: "user" },
  pageSize: 50,
  most: 500,
  read: async (query, signal) => {
    const { schedules, nextPageToken } = await listSchedules(query, signal);
    return { items: schedules, nextPageToken };
  },
  card: (schedule, known) => (known?.text === JSON.stringify(schedule) ? known : makeCard(schedule)),
  tick: ({ next, nextTime, enabled }) => {
    next.textContent = nextText(enabled, nextTime === undefined ? undefined : nextTime - now());
  },
});

function makeCard(schedule) {
  const { appName, userId, name, source, cron, timeZone, at, enabled, nextTime, newMessage, lastTicks } = schedule;
  const when = cron === undefined ? `at ${at}` : `${cron} (${timeZone})`;
  const next = element("span", { class: "quiet-text" });
  const facts = [appName, userId, ...(name === undefined ? [] : [when]), ...(source === "app" ? ["of the app"] : [])];
  const message = (newMessage.parts ?? []).map((part) => part.text ?? "").join(" ");
  const root = element(
    "li",
    {},
    element("div", { class: "bar" }, element("h3", {}, name ?? when), next),
    element("p", { class: "quiet-text" }, facts.join(" · ")),
    element("blockquote", {}, message.slice(0, 200)),
    ticksOf(lastTicks),
    buttonsOf(schedule),
  );
  return { root, next, nextTime, enabled, text: JSON.stringify(schedule) };
}

function ticksOf(ticks) {
  if (ticks.length === 0) return element("p", { class: "quiet-text" }, "No tick yet.");
  const rows = ticks.slice(0, 3).map(({ time: due, outcome, runId, reason, count }) => {
    const more = reason ?? (count === undefined ? "" : `${count} times`);
    const links = runId === undefined ? [] : [runLink(runId)];
    return element("li", {}, `${time(due)}: ${outcome} ${more} `, ...links);
  });
  return element("ul", { class: "ticks" }, ...rows);
}

function buttonsOf({ id, enabled, source }) {
  const start = page.button("Start now", () => changeSchedule(id, "trigger"), { said: "A run has started." });
  const change = enabled
    ? page.button("Pause", () => changeSchedule(id, "pause"), { said: "Paused." })
    : page.button("Resume", () => changeSchedule(id, "resume"), { said: "Resumed." });
  const remove = async () =>
    confirm("Delete this schedule? Its runs and sessions stay.") ? deleteSchedule(id) : false;
  const own = source === "user" ? [page.button("Delete", remove, { class: "danger", said: "Deleted." })] : [];
  return element("p", { class: "actions" }, start, change, ...own);
}

function nextText(enabled, leftMs) {
  if (!enabled) return "paused";
  if (leftMs === undefined) return "over";
  return leftMs <= 0 ? "due" : `in ${duration(leftMs)}`;
}
