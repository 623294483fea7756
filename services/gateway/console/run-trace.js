import { readTrace } from "./api.js";
import { duration, element, money, number, OVER } from "./format.js";
import { find } from "./page.js";

const NS_PER_MS = 1e6;
const TOKENS_PER_PRICE = 1e6;
const MOST = 200;
const MOST_DEPTH = 5;
const INVOCATION = "gcp.vertex.agent.invocation_id";

/**
 * Shows on one scale what a run that has ended took its time for: each model and tool call with its duration, and a model
 * call with its tokens and money too.
 */
export class RunTrace {
  #panel = find("trace");
  #list = find("spans");
  #note = find("trace-note");
  #length = find("trace-length");
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
    const scale = scaleOf(spans);
    this.#list.replaceChildren(...rowsOf(spans.slice(0, MOST), scale, run.prices));
    this.#length.textContent = spans.length === 0 ? "" : `0 to ${duration(msOf(scale.length))}`;
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

function scaleOf(spans) {
  const start = Math.min(...spans.map((span) => span.start_time));
  return { start, length: Math.max(1, Math.max(...spans.map((span) => span.end_time)) - start) };
}

function rowsOf(spans, { start, length }, prices) {
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  return spans.map((span) => {
    const bar = element("span", { class: "span-bar" });
    bar.style.marginLeft = `${(100 * (span.start_time - start)) / length}%`;
    bar.style.width = `${(100 * (span.end_time - span.start_time)) / length}%`;
    const took = duration(msOf(span.end_time - span.start_time));
    const facts = element("span", { class: "small" }, [took, ...tokensOf(span, prices)].join(" · "));
    const track = element("span", { class: "span-track", "aria-hidden": "true" }, bar);
    const attributes = { "data-depth": String(depthOf(span, byId)), "data-kind": kindOf(span) };
    return element("li", attributes, element("span", { class: "span-name" }, titleOf(span)), facts, track);
  });
}

function titleOf({ name, attributes }) {
  const model = attributes["gen_ai.request.model"];
  return model === undefined ? name : `${name} ${model}`;
}

function kindOf({ name, attributes }) {
  if (attributes["gen_ai.request.model"] !== undefined) return "model";
  return name.startsWith("execute_tool") ? "tool" : "other";
}

function tokensOf({ attributes }, prices) {
  const [read, written] = [attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.usage.output_tokens"]];
  if (read === undefined && written === undefined) return [];
  const tokens = `${number(read ?? 0)} tokens in, ${number(written ?? 0)} out`;
  const price = prices?.[attributes["gen_ai.response.model"]];
  return price === undefined ? [tokens] : [tokens, `${money(costOf(attributes, price))} USD`];
}

/** Tokens that have a price of their own are among the others. */
function costOf(attributes, { input, output, cached = input, thoughts = output }) {
  const count = (name) => attributes[`gen_ai.usage.${name}`] ?? 0;
  const [read, written] = [count("cache_read.input_tokens"), count("reasoning.output_tokens")];
  const cost =
    (count("input_tokens") - read) * input +
    read * cached +
    (count("output_tokens") - written) * output +
    written * thoughts;
  return cost / TOKENS_PER_PRICE;
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
