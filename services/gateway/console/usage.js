import { listQuotas, readTotals } from "./api.js";
import { duration, element, money, now, number, time } from "./format.js";
import { find, followFilters, note } from "./page.js";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
/** Most requests that are made at once, each for a bounded number of older runs. */
const REQUESTS = 10;
const MOST_ROWS = 100;
const COUNTS = ["runs", "failed", "calls", "inputTokens", "cachedTokens", "outputTokens", "costUsd", "unpriced"];
/** The columns of numbers after a row's name. */
const COLUMNS = [
  ["Runs", ({ runs }) => number(runs)],
  ["Failed", ({ failed }) => number(failed)],
  ["Model calls", ({ calls }) => number(calls)],
  ["Tokens in", ({ inputTokens, cachedTokens }) => number(inputTokens + cachedTokens)],
  ["Tokens out", ({ outputTokens }) => number(outputTokens)],
  ["USD", (total) => moneyOf(total)],
];

const filters = followFilters({ appName: "app", userId: "user", days: "days" }, () => void start());
/** The number of the newest choice: answers to earlier ones are dropped. */
let asked = 0;
let totals = [];
let searched;
let nextPageToken;

async function start() {
  totals = [];
  searched = { runs: 0, since: undefined };
  nextPageToken = undefined;
  asked += 1;
  await Promise.all([add(asked), showQuotas(asked)]);
}

/** Adds the totals of older runs, request by request, and shows them as they come. */
async function add(own) {
  const { appName, userId, days } = filters.values;
  const today = Math.floor(now() / DAY_MS) * DAY_MS;
  const since = today - (Number(days || DEFAULT_DAYS) - 1) * DAY_MS;
  find("more").hidden = true;
  try {
    for (let count = 0; count < REQUESTS; count += 1) {
      const page = await readTotals({ appName, userId, since, pageToken: nextPageToken });
      if (own !== asked) return;
      totals.push(...page.totals);
      searched = { runs: searched.runs + page.searched.runs, since: page.searched.since ?? searched.since };
      nextPageToken = page.nextPageToken;
      show();
      if (nextPageToken === undefined) break;
    }
    note("");
  } catch (error) {
    if (own === asked) note(error.message, { isFailure: true });
  }
  if (own === asked) find("more").hidden = nextPageToken === undefined;
}

function show() {
  const all = sumOf(totals);
  find("sums").replaceChildren(
    ...COLUMNS.flatMap(([name, textOf]) => element("div", {}, element("dt", {}, name), element("dd", {}, textOf(all)))),
  );
  const { runs, since } = searched;
  const far =
    since === undefined ? "No runs." : `Added up from the newest ${number(runs)} runs, back to ${time(since)}.`;
  const left = nextPageToken === undefined ? "" : " There are older ones.";
  const unpriced =
    all.unpriced === 0 ? "" : ` Not in the money, as their models have no price: ${number(all.unpriced)}.`;
  find("searched").textContent = far + left + unpriced;
  const days = grouped("day").sort((one, other) => (one.name < other.name ? 1 : -1));
  const byTokens = (one, other) => tokensOf(other) - tokensOf(one) || other.runs - one.runs;
  find("by-day").replaceChildren(tableOf("Day", days, { labelledBy: "days-title" }));
  const linked =
    (filter) =>
    ({ name }) =>
      element("a", { href: `?${new URLSearchParams({ ...inAddress(), [filter]: name })}` }, name);
  find("by-app").replaceChildren(
    tableOf("App", grouped("appName").sort(byTokens), { labelledBy: "apps-title", cell: linked("app") }),
  );
  find("by-user").replaceChildren(
    tableOf("User", grouped("userId").sort(byTokens), { labelledBy: "users-title", cell: linked("user") }),
  );
}

function inAddress() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

function grouped(member) {
  const groups = Map.groupBy(totals, (total) => total[member]);
  return [...groups].map(([name, own]) => ({ name, ...sumOf(own) }));
}

function sumOf(rows) {
  return Object.fromEntries(COUNTS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]));
}

function tokensOf({ inputTokens, cachedTokens, outputTokens }) {
  return inputTokens + cachedTokens + outputTokens;
}

/** Empty where no model has a price, as a zero would say that it was free. */
function moneyOf({ costUsd, unpriced }) {
  return costUsd === 0 && unpriced > 0 ? "–" : money(costUsd);
}

/** A table with a bar for the tokens of each row. */
function tableOf(title, rows, { labelledBy, cell = ({ name }) => name }) {
  if (rows.length === 0) return element("p", {}, "No runs here.");
  const most = Math.max(1, ...rows.map(tokensOf));
  const head = [title, ...COLUMNS.map(([name]) => name)].map((name, index) =>
    element("th", { scope: "col", ...(index > 0 && { class: "number" }) }, name),
  );
  const body = rows.slice(0, MOST_ROWS).map((row) => {
    const bar = element("span", { class: "span-bar" });
    bar.style.width = `${(100 * tokensOf(row)) / most}%`;
    const track = element("span", { class: "span-track", "aria-hidden": "true" }, bar);
    const numbers = COLUMNS.map(([name, textOf]) =>
      element("td", { class: "number", "data-label": name }, textOf(row)),
    );
    return element("tr", {}, element("th", { scope: "row", class: "main-cell" }, cell(row), track), ...numbers);
  });
  const table = element(
    "table",
    { class: "numbers", "aria-labelledby": labelledBy },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...body),
  );
  if (rows.length <= MOST_ROWS) return table;
  return element("div", {}, table, element("p", { class: "quiet-text" }, `The first ${MOST_ROWS} of ${rows.length}.`));
}

/** The quotas of the chosen user and app, or else the caller's own. */
async function showQuotas(own) {
  const { appName, userId } = filters.values;
  const usage = await listQuotas({ appName, userId }).catch(() => []);
  if (own !== asked) return;
  find("quotas").hidden = usage.length === 0;
  const head = ["Of", "Limit", "Used", "Most", "Begins again"].map((name) => element("th", { scope: "col" }, name));
  const rows = usage.map(({ scope, name, limit, unit, used, max, resetSeconds }) => {
    const amount = (value) => (unit === "usd" ? `${money(value)} USD` : `${number(value)} ${unit}`);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, [scope, name].filter(Boolean).join(" ")),
      element("td", {}, limit),
      element("td", { "data-label": "Used" }, amount(used)),
      element("td", { "data-label": "Most" }, amount(max)),
      element(
        "td",
        { "data-label": "Begins again" },
        resetSeconds === undefined ? "" : `in ${duration(resetSeconds * 1000)}`,
      ),
    );
  });
  find("by-quota").replaceChildren(
    element(
      "table",
      { "aria-labelledby": "quotas-title" },
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows),
    ),
  );
}

find("more").addEventListener("click", () => void add(asked));
find("again").addEventListener("click", () => void start());
void start();
