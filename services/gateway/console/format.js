/** Milliseconds since the epoch. */
export function now() {
  return performance.timeOrigin + performance.now();
}

/** `850 ms`, `12 s`, `3 min`, `5 h`, `2 d`. */
export function duration(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function time(ms) {
  return TIME.format(ms);
}

/** The milliseconds of what a field of local time has; undefined for an empty one. */
export function timeOf(local) {
  // biome-ignore lint/style/noRestrictedGlobals: it reads a text in the browser's time zone; no page has a Clock.
  return local === "" ? undefined : Date.parse(local);
}

const NUMBER = new Intl.NumberFormat();
const MONEY = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumSignificantDigits: 3 });

/** `12,345`; empty for undefined. */
export function number(value) {
  return value === undefined ? "" : NUMBER.format(value);
}

/** An amount of USD, small ones too: `0.0004`. */
export function money(value) {
  return value === undefined ? "" : MONEY.format(value);
}

export function words(status) {
  return status.replaceAll("_", " ");
}

/** The record of an answered run keeps its status. */
export function statusText({ status, answeredBy }) {
  return answeredBy === undefined ? words(status) : "answered";
}

/** The end of an id distinguishes runs: its beginning is the time. */
export function shortId(id) {
  return id.length <= 13 ? id : `…${id.slice(-12)}`;
}

export const OVER = new Set(["awaiting_input", "succeeded", "failed", "cancelled", "interrupted", "timed_out"]);

/** The duration of the run so far; empty for one that has not begun. */
export function took({ startedTime, finishedTime }) {
  return startedTime === undefined ? "" : duration((finishedTime ?? now()) - startedTime);
}

/** An element with the given text and attributes. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
