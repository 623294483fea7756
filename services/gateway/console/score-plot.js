import { element, time } from "./format.js";

const WIDTH = 800;
const HEIGHT = 240;
const LEFT = 36;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 24;
const COLOURS = 4;
const PASSED = 1;
const INFORMATIONAL = 4;
const PASS_RATE = "share of passed cases";

/** Draws the mean scores of each metric, and the share of passed cases, of results in the order of time. */
export function drawPlot(results, { plot, legend, onSelect }) {
  const lines = linesOf(results);
  const highest = Math.max(1, ...lines.flatMap(({ points }) => points.map(({ value }) => value)));
  const first = results[0].creationTimestamp;
  const seconds = results.at(-1).creationTimestamp - first;
  const x = (at) => LEFT + (seconds === 0 ? 0.5 : (at - first) / seconds) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - (value / highest) * (HEIGHT - TOP - BOTTOM);
  const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Scores over time" });
  for (const value of [0, highest]) {
    root.append(svg("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
    root.append(svg("text", { x: 4, y: y(value) + 4 }, String(Number(value.toFixed(2)))));
  }
  root.append(svg("text", { x: LEFT, y: HEIGHT - 6 }, time(first * 1000)));
  if (seconds > 0)
    root.append(svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, time((first + seconds) * 1000)));
  for (const [index, { name, points }] of lines.entries()) {
    const group = svg("g", { class: `line-${index % COLOURS}` });
    group.append(svg("polyline", { points: points.map(({ at, value }) => `${x(at)},${y(value)}`).join(" ") }));
    for (const { at, value, result } of points) {
      const title = svg("title", {}, `${name}: ${Number(value.toFixed(3))}, ${time(at * 1000)}`);
      const circle = svg("circle", { cx: x(at), cy: y(value), r: 4 }, title);
      circle.addEventListener("click", () => onSelect(result));
      group.append(circle);
    }
    root.append(group);
  }
  plot.replaceChildren(root);
  legend.replaceChildren(
    ...lines.map(({ name }, index) => element("li", { class: `line-${index % COLOURS}` }, `● ${name}`)),
  );
}

function linesOf(results) {
  const lines = new Map([[PASS_RATE, []]]);
  for (const { evalSetResultName: result, creationTimestamp: at, evalCaseResults } of results) {
    if (evalCaseResults.length === 0) continue;
    const passed = evalCaseResults.filter(({ finalEvalStatus }) => finalEvalStatus === PASSED).length;
    lines.get(PASS_RATE).push({ at, result, value: passed / evalCaseResults.length });
    for (const [name, scores] of scoresOf(evalCaseResults)) {
      const points = lines.get(name) ?? [];
      lines.set(name, points);
      points.push({ at, result, value: scores.reduce((sum, score) => sum + score, 0) / scores.length });
    }
  }
  return [...lines].map(([name, points]) => ({ name, points }));
}

/** Metrics that only inform count calls and seconds, which have no common scale. */
function scoresOf(cases) {
  const metrics = cases.flatMap(({ overallEvalMetricResults = [] }) => overallEvalMetricResults);
  const scored = metrics.filter(({ score, evalStatus }) => typeof score === "number" && evalStatus !== INFORMATIONAL);
  const scores = new Map();
  for (const { metricName, score } of scored) scores.set(metricName, [...(scores.get(metricName) ?? []), score]);
  return scores;
}

function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
