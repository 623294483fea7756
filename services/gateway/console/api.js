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
  const said = body.message ?? `The server answered ${response.status}.`;
  throw new Error(REFUSALS[response.status] === undefined ? said : `${REFUSALS[response.status]} ${said}`);
}

const REFUSALS = { 401: "You are not signed in.", 403: "You may not do this here." };

/** The members that have a value, as a query. */
function filled(members) {
  return new URLSearchParams(Object.entries(members).filter(([, value]) => value !== "" && value !== undefined));
}

function post(path, body) {
  return send("POST", path, body);
}

function send(method, path, body) {
  const headers = { accept: "application/json", "content-type": "application/json" };
  return call(path, { method, ...(body !== undefined && { headers, body: JSON.stringify(body) }) });
}

export function listRuns(query, signal) {
  return call(`v1/runs?${filled(query)}`, { signal });
}

/** A page of what waits for people. */
export function readInbox(query, signal) {
  return call(`v1/inbox?${filled(query)}`, { signal });
}

/** The questions of a waiting run. */
export async function listQuestions(runId) {
  return (await call(`v1/inbox/${encodeURIComponent(runId)}`)).questions;
}

/** Starts the run with the answers, by the ids of their questions, and returns its record. */
export function answerRun(runId, answers) {
  return post(`v1/inbox/${encodeURIComponent(runId)}`, { answers });
}

/** Claims the entry for the caller, also if somebody else has it. */
export function claimEntry(runId) {
  return call(`v1/inbox/${encodeURIComponent(runId)}/claim`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ takeOver: true }),
  });
}

/** Ends the caller's claim. */
export function releaseEntry(runId) {
  return call(`v1/inbox/${encodeURIComponent(runId)}/claim`, { method: "DELETE" });
}

/** A page of schedules. */
export function listSchedules(query, signal) {
  return call(`v1/schedules?${filled(query)}`, { signal });
}

/** `action`: `pause`, `resume` or `trigger`. */
export function changeSchedule(id, action) {
  return post(`v1/schedules/${encodeURIComponent(id)}/${action}`);
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
  return post(`v1/runs/${encodeURIComponent(runId)}/cancel`);
}

export function requeueRun(runId) {
  return post(`v1/runs/${encodeURIComponent(runId)}/requeue`);
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
  return post(`v1/evals/${encodeURIComponent(jobId)}/cancel`);
}

/** A page of webhooks. */
export function listWebhooks(query, signal) {
  return call(`v1/webhooks?${filled(query)}`, { signal });
}

export function changeWebhook(id, change) {
  return send("PATCH", `v1/webhooks/${encodeURIComponent(id)}`, change);
}

export function testWebhook(id) {
  return post(`v1/webhooks/${encodeURIComponent(id)}/test`);
}

/** A page of the webhook's messages. */
export function listDeliveries(id, query) {
  return call(`v1/webhooks/${encodeURIComponent(id)}/deliveries?${filled(query)}`);
}

export function replayDelivery(id, deliveryId) {
  return post(`v1/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(deliveryId)}/replay`);
}

/** What a bounded number of runs has used, by day, app and user. */
export function readTotals(query) {
  return call(`v1/usage/runs?${filled(query)}`);
}

/** The limits that the server has for the caller, and for the user and app of the query. */
export async function listQuotas(query) {
  return (await call(`v1/usage?${filled(query)}`)).usage;
}
