import { getResult, listApps, listResults, listSets } from "./api.js";
import { caseView } from "./eval-case.js";
import { EvaluationList } from "./evaluation-list.js";
import { element, time } from "./format.js";
import { find, hasDevUi, note } from "./page.js";
import { drawPlot } from "./score-plot.js";

/** The newest results of a set that are read. */
const MOST = 50;

const { app, set } = find("filter").elements;
const choice = find("result");
/** The results of the chosen set, by name. */
let results = new Map();
const evaluations = new EvaluationList({
  onSelect: (result) => go({ result }, { focus: true }),
  onEnd: () => void show(),
});
/** The number of the newest choice: answers to earlier ones are dropped. */
let asked = 0;

/**
 * Shows what the address names: `?app=…&set=…&result=…`. By default the first app, its first set, and the newest
 * result.
 */
async function show() {
  asked += 1;
  const own = asked;
  const query = new URLSearchParams(location.search);
  try {
    fill(app, await listApps(), query.get("app"));
    if (own !== asked) return;
    const sets = app.value === "" ? [] : await listSets(app.value);
    if (own !== asked) return;
    fill(set, sets, query.get("set"));
    void evaluations.show(app.value, set.value);
    const read = set.value === "" ? [] : await readResults(app.value, set.value);
    if (own !== asked) return;
    results = new Map(read.map((result) => [result.evalSetResultName, result]));
    note("");
    showResults(query.get("result"));
  } catch (error) {
    if (own !== asked) return;
    note(error.message, { isFailure: true });
    clear();
  }
}

/** The newest results of the set, oldest first. Their names begin with app and set and end with the time. */
async function readResults(appName, evalSetId) {
  const prefix = `${appName}_${evalSetId}_`.replaceAll("/", "_");
  const timeOf = (name) => Number(name.slice(prefix.length));
  const own = (await listResults(appName)).filter((name) => name.startsWith(prefix) && Number.isFinite(timeOf(name)));
  const newest = own.sort((one, other) => timeOf(one) - timeOf(other)).slice(-MOST);
  const read = await Promise.all(newest.map((name) => getResult(appName, name)));
  return read.filter((result) => result.evalSetId === evalSetId);
}

function fill(select, names, wanted) {
  select.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
  select.value = names.includes(wanted) ? wanted : (names[0] ?? "");
}

function showResults(wanted) {
  const all = [...results.values()];
  clear();
  find("empty").textContent = set.value === "" ? "The app has no evaluation sets." : "The set has no results yet.";
  find("empty").hidden = all.length > 0;
  if (all.length === 0) return;
  find("choice").hidden = false;
  find("cases").hidden = false;
  drawPlot(all, { plot: find("plot"), legend: find("legend"), onSelect: (name) => go({ result: name }) });
  const newestFirst = all.toReversed();
  choice.replaceChildren(
    ...newestFirst.map((each) =>
      element("option", { value: each.evalSetResultName }, time(each.creationTimestamp * 1000)),
    ),
  );
  const chosen = results.get(wanted) ?? newestFirst[0];
  choice.value = chosen.evalSetResultName;
  find("cases").replaceChildren(...chosen.evalCaseResults.map((each) => caseView(each, sessionLinks(each))));
}

/** The session in which the case was run, where the server has the developer UI to show it. */
function sessionLinks({ sessionId, userId }) {
  if (!hasDevUi || !sessionId || !userId) return [];
  const query = new URLSearchParams({ app: app.value, session: sessionId, userId });
  return [element("p", {}, element("a", { href: `../dev-ui/?${query}` }, "Open its session in the developer UI"))];
}

/** Removes what an earlier choice has shown. */
function clear() {
  find("plot").replaceChildren();
  find("legend").replaceChildren();
  for (const id of ["empty", "choice", "cases"]) find(id).hidden = true;
}

/** Keeps the choice in the address: a link shows the same, and the back button the one before. */
async function go(changes, { focus = false } = {}) {
  const query = new URLSearchParams({ app: app.value, set: set.value, ...changes });
  history.pushState(null, "", `${location.pathname}?${query}`);
  await show();
  if (focus) find("cases").focus();
}

app.addEventListener("change", () => go({ set: "" }));
set.addEventListener("change", () => go({}));
choice.addEventListener("change", () => go({ result: choice.value }));
find("filter").addEventListener("submit", (event) => event.preventDefault());
addEventListener("popstate", () => void show());

await show();
