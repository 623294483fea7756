import { listApps, listRuns, readSettings } from "./api.js";
import { Filters } from "./filters.js";
import { element } from "./format.js";
import { RunDetail } from "./run-detail.js";
import { RunList } from "./run-list.js";

const REFRESH_MS = 2000;
/** A search reads many records, so it waits until the user stops typing. */
const SEARCH_REFRESH_MS = 10_000;
const TICK_MS = 1000;
const TYPING_MS = 300;
const PAGE = 50;
const MOST = 1000;
const MOST_SEARCHES = 20;

const find = (id) => document.querySelector(`#${id}`);
const form = find("filter");
const filters = new Filters(form, { appName: "app", userId: "user", status: "status", find: "find" });
const list = new RunList();
const detail = new RunDetail({ onChange: () => refresh(), onClose: () => leaveDetail() });

let shown = PAGE;
/** Most requests of one search, each for older runs. */
let searches = 1;
let asking;
let askedAt = 0;
let typing;

function selected() {
  return decodeURIComponent(location.hash.slice(1));
}

/** A newer request replaces one in progress. */
async function refresh() {
  asking?.abort();
  const question = new AbortController();
  asking = question;
  askedAt = performance.now();
  try {
    const page = await load(question.signal);
    if (question.signal.aborted) return;
    find("connection").textContent = "";
    show(page);
  } catch (error) {
    if (!question.signal.aborted) find("connection").textContent = error.message;
  }
}

async function load(signal) {
  const query = { ...filters.values, pageSize: shown };
  if (query.find === "") return listRuns(query, signal);
  const runs = [];
  let pageToken;
  for (let count = 0; count < searches && runs.length < MOST; count += 1) {
    const page = await listRuns({ ...query, pageToken }, signal);
    runs.push(...page.runs);
    pageToken = page.nextPageToken;
    if (pageToken === undefined) break;
  }
  return { runs, nextPageToken: pageToken };
}

function show({ runs, nextPageToken }) {
  const isSearch = filters.values.find !== "";
  const isFull = isSearch ? searches >= MOST_SEARCHES : shown >= MOST;
  const more = find("more");
  more.hidden = nextPageToken === undefined || isFull;
  more.textContent = isSearch ? "Search older runs" : "Show more";
  list.show(runs, selected());
  find("count").textContent = `(${runs.length}${nextPageToken === undefined ? "" : "+"})`;
  find("empty").hidden = runs.length > 0;
  find("empty").textContent = emptyText(nextPageToken !== undefined);
  find("start").hidden = runs.length > 0 || isFiltered();
  for (const run of runs) detail.update(run);
}

function emptyText(hasMore) {
  if (hasMore) return "Nothing among the newest runs.";
  return isFiltered() ? "No runs here." : "No runs yet. They appear here as soon as one is started.";
}

function isFiltered() {
  return Object.values(filters.values).some((value) => value !== "");
}

function openSelected() {
  const runId = selected();
  document.querySelector("main").classList.toggle("split", runId !== "");
  list.select(runId);
  if (runId === "") detail.close();
  else if (detail.runId !== runId) void detail.open(runId);
}

function leaveDetail() {
  const runId = selected();
  history.pushState(null, "", location.pathname + location.search);
  openSelected();
  list.focus(runId);
}

function changeFilters(options) {
  if (!filters.write(options)) return;
  startOver();
}

function startOver() {
  shown = PAGE;
  searches = 1;
  void refresh();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  changeFilters();
});
form.addEventListener("change", () => {
  clearTimeout(typing);
  changeFilters();
});
form.elements.find.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => changeFilters({ isTyping: true }), TYPING_MS);
});
find("more").addEventListener("click", () => {
  if (filters.values.find === "") shown = Math.min(MOST, shown + PAGE);
  else searches += 1;
  void refresh();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  // The address's fragment names the run that is shown.
  event.preventDefault();
  find("runs").focus();
});
addEventListener("popstate", () => {
  const before = JSON.stringify(filters.values);
  filters.read();
  if (JSON.stringify(filters.values) !== before) startOver();
  openSelected();
});
addEventListener("hashchange", openSelected);
setInterval(() => {
  const every = filters.values.find === "" ? REFRESH_MS : SEARCH_REFRESH_MS;
  const isDue = performance.now() - askedAt > every - TICK_MS / 2;
  if (form.elements.live.checked && !document.hidden && isDue) void refresh();
}, TICK_MS);
setInterval(() => list.tick(), TICK_MS);

filters.read();
await refresh();
openSelected();
listApps()
  .then((names) => find("apps").append(...names.map((value) => element("option", { value }))))
  // Without the list of names the user can still type one.
  .catch(() => {});
readSettings()
  .then(({ devUi }) => {
    find("ui-link").hidden = !devUi;
    find("start-ui").hidden = !devUi;
    detail.offerDevUi(devUi);
  })
  // Without this answer the page works, but has no links to other pages.
  .catch(() => {});
