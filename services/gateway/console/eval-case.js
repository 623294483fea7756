import { element } from "./format.js";

const STATUSES = { 1: "passed", 2: "failed", 3: "not evaluated", 4: "informational" };

/** A case of a result with links: its metrics, and each turn as it was expected and as it was. All texts are shown as texts. */
export function caseView(result, links) {
  const { evalId, finalEvalStatus, overallEvalMetricResults = [], evalMetricResultPerInvocation = [] } = result;
  const turns = evalMetricResultPerInvocation.map((turn, index) => turnView(turn, index + 1));
  const heading = element("h3", {}, `${evalId} `, statusView(finalEvalStatus));
  return element(
    "article",
    { "aria-label": `Case ${evalId}` },
    heading,
    ...links,
    metricTable(overallEvalMetricResults),
    ...turns,
  );
}

function turnView({ actualInvocation, expectedInvocation, evalMetricResults = [] }, number) {
  const sides = element(
    "div",
    { class: "turn" },
    sideView("Expected", expectedInvocation),
    sideView("Actual", actualInvocation),
  );
  return element("section", { "aria-label": `Turn ${number}` }, sides, metricTable(evalMetricResults));
}

function sideView(title, invocation) {
  const side = element("div", {}, element("strong", {}, title));
  if (invocation === undefined || invocation === null) {
    side.append(element("p", { class: "said" }, "Nothing is expected."));
    return side;
  }
  const { userContent, finalResponse, intermediateData } = invocation;
  side.append(element("p", { class: "said small" }, textOf(userContent)));
  for (const { name = "", args = {} } of callsOf(intermediateData ?? {}))
    side.append(element("pre", {}, `→ ${name}(${JSON.stringify(args)})`));
  side.append(element("p", { class: "said" }, textOf(finalResponse)));
  return side;
}

function callsOf({ toolUses = [], invocationEvents = [] }) {
  const ofEvents = invocationEvents.flatMap(({ content }) => content?.parts ?? []);
  return [...toolUses, ...ofEvents.flatMap(({ functionCall }) => functionCall ?? [])];
}

function textOf(content) {
  const said = (content?.parts ?? []).filter(({ text, thought }) => text !== undefined && thought !== true);
  return said.map(({ text }) => text).join("");
}

function metricTable(results) {
  const head = ["Metric", "Score", "Threshold", "Status", "Remarks"].map((name) =>
    element("th", { scope: "col" }, name),
  );
  const rows = results.map(({ metricName, score, threshold, evalStatus, details }) =>
    element(
      "tr",
      {},
      element("td", {}, metricName),
      element("td", { "data-label": "Score" }, numberText(score)),
      element("td", { "data-label": "Threshold" }, numberText(threshold)),
      element("td", {}, statusView(evalStatus)),
      element("td", { class: "said" }, (details?.rubricScores ?? []).map(rubricText).join("\n")),
    ),
  );
  return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

/** A remark on the evaluation is stored as a rubric of this id. */
function rubricText({ rubricId, rationale = "", score }) {
  if (rubricId === "fairlead:remark") return rationale;
  return `${rubricId}: ${numberText(score)} ${rationale ?? ""}`;
}

function numberText(value) {
  return typeof value === "number" ? String(Number(value.toFixed(3))) : "–";
}

function statusView(status) {
  const name = STATUSES[status] ?? "unknown";
  return element("span", { class: "status", "data-status": name }, name);
}
