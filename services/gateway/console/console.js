import { listRuns } from "./api.js";
import { find, followFilters, hasDevUi, Reader } from "./page.js";
import { RunDetail } from "./run-detail.js";
import { RunList } from "./run-list.js";

const REFRESH_MS = 2000;
/** A search reads many records, so it waits until the user stops typing. */
const SEARCH_REFRESH_MS = 10_000;
const TYPING_MS = 300;
const PAGE = 50;
const MOST = 1000;
const MOST_SEARCHES = 20;

const form = find("filter");
const filters = followFilters({ appName: "app", userId: "user", status: "status", find: "find" }, startOver);
const list = new RunList();
const detail = new RunDetail({ onChange: () => reader.refresh(), onClose: () => leaveDetail() });
const reader = new Reader({
  read: load,
  show,
  everyMs: () => {
    if (!form.elements.live.checked) return Number.POSITIVE_INFINITY;
    return filters.values.find === "" ? REFRESH_MS : SEARCH_REFRESH_MS;
  },
  tick: () => list.tick(),
});

let shown = PAGE;
/** Most requests of one search, each for older runs. */
let searches = 1;
let typing;

function selected() {
  return decodeURIComponent(location.hash.slice(1));
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

function startOver() {
  shown = PAGE;
  searches = 1;
  void reader.refresh();
}

form.elements.find.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => filters.write({ isTyping: true }) && startOver(), TYPING_MS);
});
find("more").addEventListener("click", () => {
  if (filters.values.find === "") shown = Math.min(MOST, shown + PAGE);
  else searches += 1;
  void reader.refresh();
});
addEventListener("popstate", openSelected);
addEventListener("hashchange", openSelected);

find("start-ui").hidden = !hasDevUi;
await reader.refresh();
openSelected();
