/** Calls the API by paths relative to this file, so that it also works below a proxy's prefix. */

const at = (path) => new URL(`../${path}`, import.meta.url);

/** Returns the answer's JSON, or throws an error with the server's message. */
async function call(path, options) {
  let response;
  try {
    response = await fetch(at(path), { headers: { accept: "application/json" }, ...options });
  } catch {
    throw new Error("The server cannot be reached.");
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new Error(body.message ?? `The server answered ${response.status}.`);
}

export function listRuns(query, signal) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined);
  return call(`v1/runs?${new URLSearchParams(filled)}`, { signal });
}

/** The server's optional parts. */
export function readSettings() {
  return call("console/settings.json");
}

/** A page of what waits for people. */
export function readInbox(query, signal) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined);
  return call(`v1/inbox?${new URLSearchParams(filled)}`, { signal });
}

/** The questions of a waiting run. */
export async function listQuestions(runId) {
  return (await call(`v1/inbox/${encodeURIComponent(runId)}`)).questions;
}

/** Starts the run with the answers, by the ids of their questions, and returns its record. */
export function answerRun(runId, answers) {
  return call(`v1/inbox/${encodeURIComponent(runId)}`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ answers }),
  });
}

/** A page of schedules. */
export function listSchedules(query, signal) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined);
  return call(`v1/schedules?${new URLSearchParams(filled)}`, { signal });
}

/** `action`: `pause`, `resume` or `trigger`. */
export function changeSchedule(id, action) {
  return call(`v1/schedules/${encodeURIComponent(id)}/${action}`, { method: "POST" });
}

export function deleteSchedule(id) {
  return call(`v1/schedules/${encodeURIComponent(id)}`, { method: "DELETE" });
}

export function listApps() {
  return call("list-apps");
}

export function getRun(runId) {
  return call(`v1/runs/${encodeURIComponent(runId)}`);
}

/** The spans of a session's runs, as long as they are kept. */
export function readTrace({ appName, userId, sessionId }) {
  const query = new URLSearchParams({ user_id: userId });
  const path = `dev/apps/${encodeURIComponent(appName)}/debug/trace/session/${encodeURIComponent(sessionId)}`;
  return call(`${path}?${query}`);
}

export function cancelRun(runId) {
  return call(`v1/runs/${encodeURIComponent(runId)}/cancel`, { method: "POST" });
}

export function requeueRun(runId) {
  return call(`v1/runs/${encodeURIComponent(runId)}/requeue`, { method: "POST" });
}

export function openStream(runId) {
  return new EventSource(at(`v1/runs/${encodeURIComponent(runId)}/stream`));
}

export async function listSets(app) {
  return (await call(`apps/${encodeURIComponent(app)}/eval-sets`)).evalSetIds;
}

/** Names of the results of all sets of the app. */
export async function listResults(app) {
  return (await call(`apps/${encodeURIComponent(app)}/eval-results`)).evalResultIds;
}

export function getResult(app, name) {
  return call(`apps/${encodeURIComponent(app)}/eval-results/${encodeURIComponent(name)}`);
}

/** The newest evaluations of the set. */
export async function listEvaluations(appName, evalSetId) {
  return (await call(`v1/evals?${new URLSearchParams({ appName, evalSetId, pageSize: 10 })}`)).evaluations;
}

export function cancelEvaluation(jobId) {
  return call(`v1/evals/${encodeURIComponent(jobId)}/cancel`, { method: "POST" });
}
