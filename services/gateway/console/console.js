import { listRuns } from "./api.js";
import { time, timeOf } from "./format.js";
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

/** The fields by their names in the address. Those of `SEARCH` are looked for in one record after the other. */
const FIELDS = { appName: "app", userId: "user", status: "status", find: "find" };
const SEARCH = { from: "from", to: "to", minTokens: "tokens", minCostUsd: "usd" };

const form = find("filter");
const filters = followFilters({ ...FIELDS, ...SEARCH }, startOver);
const list = new RunList();
const detail = new RunDetail({ onChange: () => reader.refresh(), onClose: () => leaveDetail() });
const reader = new Reader({
  read: load,
  show,
  everyMs: () => {
    if (!form.elements.live.checked) return Number.POSITIVE_INFINITY;
    return isSearch() ? SEARCH_REFRESH_MS : REFRESH_MS;
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

function isSearch() {
  const { values } = filters;
  return ["find", ...Object.keys(SEARCH)].some((name) => values[name] !== "");
}

async function load(signal) {
  const { from, to, ...values } = filters.values;
  const query = { ...values, createdAfter: timeOf(from), createdBefore: timeOf(to), pageSize: shown };
  if (!isSearch()) return listRuns(query, signal);
  const runs = [];
  const searched = { runs: 0, since: undefined };
  let pageToken;
  for (let count = 0; count < searches && runs.length < MOST; count += 1) {
    const page = await listRuns({ ...query, pageToken }, signal);
    runs.push(...page.runs);
    searched.runs += page.searched.runs;
    searched.since = page.searched.since ?? searched.since;
    pageToken = page.nextPageToken;
    if (pageToken === undefined) break;
  }
  return { runs, nextPageToken: pageToken, searched };
}

function show({ runs, nextPageToken, searched }) {
  const isFull = searched === undefined ? shown >= MOST : searches >= MOST_SEARCHES;
  const more = find("more");
  more.hidden = nextPageToken === undefined || isFull;
  more.textContent = searched === undefined ? "Show more" : "Search older runs";
  list.show(runs, selected());
  find("count").textContent = `(${runs.length}${nextPageToken === undefined ? "" : "+"})`;
  find("empty").hidden = runs.length > 0;
  find("empty").textContent = emptyText(nextPageToken !== undefined);
  find("searched").hidden = nextPageToken === undefined || searched?.since === undefined;
  if (!find("searched").hidden)
    find("searched").textContent = `Looked at ${searched.runs} runs, back to ${time(searched.since)}.`;
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
  if (isSearch()) searches += 1;
  else shown = Math.min(MOST, shown + PAGE);
  void reader.refresh();
});
addEventListener("popstate", openSelected);
addEventListener("hashchange", openSelected);

find("more-filters").open = Object.keys(SEARCH).some((name) => filters.values[name] !== "");
find("start-ui").hidden = !hasDevUi;
await reader.refresh();
openSelected();
