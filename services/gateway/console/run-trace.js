import { readTrace } from "./api.js";
import { duration, element, OVER } from "./format.js";
import { find } from "./page.js";

const NS_PER_MS = 1e6;
const MOST = 200;
const MOST_DEPTH = 5;
const INVOCATION = "gcp.vertex.agent.invocation_id";

/** Shows what a run that has ended took its time for: its model and tool calls, each with its duration and its tokens. */
export class RunTrace {
  #panel = find("trace");
  #list = find("spans");
  #note = find("trace-note");
  #shown;

  close() {
    this.#shown = undefined;
    this.#panel.hidden = true;
  }

  async show(run) {
    if (!OVER.has(run.status) || this.#shown === run.runId) return;
    this.#shown = run.runId;
    const { spans, note } = await spansOf(run);
    if (this.#shown !== run.runId) return;
    this.#list.replaceChildren(...rowsOf(spans.slice(0, MOST)));
    this.#note.textContent = spans.length > MOST ? `The first ${MOST} of ${spans.length} steps.` : note;
    this.#panel.hidden = false;
  }
}

/** The spans of the run's traces, in the order in which they began. */
async function spansOf({ appName, userId, sessionId, invocationId, startedTime, finishedTime }) {
  try {
    const all = await readTrace({ appName, userId, sessionId });
    // An answer to a run that waited is another run of the same invocation.
    const isOfRun = (span) =>
      span.attributes[INVOCATION] === invocationId &&
      msOf(span.start_time) >= startedTime - 1 &&
      msOf(span.start_time) <= finishedTime + 1;
    const traces = new Set(all.filter(isOfRun).map((span) => span.trace_id));
    const spans = all.filter((span) => traces.has(span.trace_id)).sort((a, b) => a.start_time - b.start_time);
    return { spans, note: spans.length > 0 ? "" : "No trace is kept of this run: traces are kept for a short time." };
  } catch (error) {
    return { spans: [], note: error.message };
  }
}

function rowsOf(spans) {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const start = Math.min(...spans.map((span) => span.start_time));
  const length = Math.max(1, Math.max(...spans.map((span) => span.end_time)) - start);
  return spans.map((span) => {
    const bar = element("span", { class: "span-bar", "aria-hidden": "true" });
    bar.style.marginLeft = `${(100 * (span.start_time - start)) / length}%`;
    bar.style.width = `${(100 * (span.end_time - span.start_time)) / length}%`;
    const took = duration(msOf(span.end_time - span.start_time));
    const facts = element("span", { class: "small" }, [took, ...tokensOf(span)].join(" · "));
    return element("li", { "data-depth": String(depthOf(span, byId)) }, titleOf(span), facts, bar);
  });
}

function titleOf({ name, attributes }) {
  const model = attributes["gen_ai.request.model"];
  return model === undefined ? name : `${name} ${model}`;
}

function tokensOf({ attributes }) {
  const [read, written] = [attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.usage.output_tokens"]];
  return read === undefined && written === undefined ? [] : [`${read ?? 0} tokens in, ${written ?? 0} out`];
}

function depthOf(span, byId) {
  let depth = 0;
  for (let parent = byId.get(span.parent_span_id); parent !== undefined && depth < MOST_DEPTH; depth += 1)
    parent = byId.get(parent.parent_span_id);
  return depth;
}

function msOf(ns) {
  return ns / NS_PER_MS;
}
