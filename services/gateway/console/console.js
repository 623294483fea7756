import { listApps, listRuns } from "./api.js";
import { element } from "./format.js";
import { RunDetail } from "./run-detail.js";
import { RunList } from "./run-list.js";

const REFRESH_MS = 2000;
const TICK_MS = 1000;
const PAGE = 50;
const MOST = 1000;

const find = (id) => document.querySelector(`#${id}`);
const form = find("filter");
const list = new RunList();
const detail = new RunDetail({ onChange: () => refresh(), onClose: () => leaveDetail() });

let shown = PAGE;
let runs = [];
let asking;

function selected() {
  return decodeURIComponent(location.hash.slice(1));
}

/** A newer question takes the place of one that is under way. */
async function refresh() {
  asking?.abort();
  const question = new AbortController();
  asking = question;
  const { appName, status } = Object.fromEntries(new FormData(form));
  try {
    const page = await listRuns({ appName: appName.trim(), status, pageSize: shown }, question.signal);
    if (question.signal.aborted) return;
    runs = page.runs;
    find("more").hidden = page.nextPageToken === undefined || shown >= MOST;
    find("connection").textContent = "";
    show();
  } catch (error) {
    if (!question.signal.aborted) find("connection").textContent = error.message;
  }
}

function show() {
  const text = form.elements.text.value.trim().toLowerCase();
  const found = runs.filter((run) => text === "" || haystack(run).includes(text));
  list.show(found, selected());
  find("count").textContent = `(${found.length}${find("more").hidden ? "" : "+"})`;
  find("empty").hidden = found.length > 0;
  for (const run of runs) detail.update(run);
}

function haystack({ runId, userId, sessionId, holder = "" }) {
  return [runId, userId, sessionId, holder].join(" ").toLowerCase();
}

function openSelected() {
  const runId = selected();
  document.querySelector("main").classList.toggle("split", runId !== "");
  list.select(runId);
  if (runId === "") detail.close();
  else void detail.open(runId);
}

function leaveDetail() {
  const runId = selected();
  history.replaceState(null, "", location.pathname + location.search);
  openSelected();
  list.focus(runId);
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", () => void refresh());
form.elements.text.addEventListener("input", show);
find("more").addEventListener("click", () => {
  shown = Math.min(MOST, shown + PAGE);
  void refresh();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  // The address's fragment names the run that is shown.
  event.preventDefault();
  find("runs").focus();
});
addEventListener("hashchange", openSelected);
setInterval(() => {
  if (form.elements.live.checked && !document.hidden) void refresh();
}, REFRESH_MS);
setInterval(() => list.tick(), TICK_MS);

await refresh();
openSelected();
listApps()
  .then((names) => find("apps").append(...names.map((value) => element("option", { value }))))
  // Without the names any may still be typed.
  .catch(() => {});
