import { isDeepStrictEqual } from "node:util";
import type { StoredEvent } from "#kit/events/event-record.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { checkStream } from "./check-stream.ts";
import type { Observation, WireEvent } from "./recorder.ts";

/** Content of the store for one session after the episode. */
export interface StoredSession {
  readonly key: SessionKey;
  readonly events: readonly StoredEvent[];
  readonly state: JsonObject;
  readonly runs: readonly RunRecord[];
}

const SHARED = /^(app|user|temp):/;

/** I1 to I4 for one session and all observations of it. */
export function checkSession(stored: StoredSession, observations: readonly Observation[]): readonly string[] {
  const problems = [...checkSequence(stored), ...checkState(stored)];
  for (const observation of observations) {
    problems.push(...checkAnswer(stored, observation), ...checkMessage(stored, observation));
    problems.push(...checkStream(observation, storedRun(stored, observation)));
  }
  return problems.map((problem) => `${stored.key.id}: ${problem}`);
}

/** I2: sequences without a gap, ids used once. */
export function checkSequence({ events }: Pick<StoredSession, "events">): readonly string[] {
  const problems: string[] = [];
  if (events.some(({ sequence }, index) => sequence !== index + 1))
    problems.push(`I2 sequences are ${events.map(({ sequence }) => sequence).join(",")}`);
  const ids = new Set(events.map(({ id }) => id));
  if (ids.size < events.length) problems.push("I1 an event is stored twice under its id");
  return problems;
}

/** I4: the session's own state is the sum of its events' deltas. */
export function checkState({ events, state }: Pick<StoredSession, "events" | "state">): readonly string[] {
  const folded = new Map<string, unknown>();
  for (const event of events) {
    for (const [key, value] of Object.entries(parse(event).actions?.stateDelta ?? {})) {
      if (SHARED.test(key)) continue;
      if (value === null) folded.delete(key);
      else folded.set(key, value);
    }
  }
  const own = Object.fromEntries(Object.entries(state).filter(([key]) => !SHARED.test(key)));
  if (isDeepStrictEqual(own, Object.fromEntries(folded))) return [];
  return [`I4 state ${JSON.stringify(own)} is not the sum of its changes ${JSON.stringify([...folded])}`];
}

/** I1: what `/run` answered is stored once, as it was answered, in that order. */
function checkAnswer({ events }: StoredSession, { answer = [], tag }: Observation): readonly string[] {
  const problems: string[] = [];
  let before = 0;
  for (const acknowledged of answer) {
    const found = events.filter(({ id }) => id === acknowledged.id);
    const [first] = found;
    if (first === undefined || found.length > 1) {
      problems.push(`I1 event ${acknowledged.id} of ${tag} was acknowledged and is stored ${found.length} times`);
      continue;
    }
    if (!isDeepStrictEqual(parse(first), acknowledged))
      problems.push(`I1 event ${acknowledged.id} of ${tag} is stored with other content`);
    if (first.sequence <= before) problems.push(`I3 the answer to ${tag} has another order than the store`);
    before = first.sequence;
  }
  return problems;
}

/** I1: an acknowledged message is stored once, any other at most once. */
function checkMessage({ events, runs }: StoredSession, observation: Observation): readonly string[] {
  const times = events.filter((event) => isMessage(event, observation)).length;
  const run = runs.find(({ runId }) => runId === observation.runId);
  const isAcknowledged = run?.status === "succeeded" || (observation.path === "/run" && observation.status === 200);
  if (times === 1 || (times === 0 && !isAcknowledged)) return [];
  return [`I1 message ${observation.tag} is stored ${times} times`];
}

function isMessage({ author, json }: StoredEvent, { tag }: Observation): boolean {
  const mark = `"tag\\":\\"${tag}\\"`.slice(1);
  return author === "user" && json.includes(mark);
}

function storedRun({ events, runs }: StoredSession, observation: Observation) {
  const run = runs.find(({ runId }) => runId === observation.runId);
  if (run === undefined) return undefined;
  // The run with an answer has the invocation of the run that asked.
  const from = Math.max(
    events.findIndex((event) => isMessage(event, observation)),
    0,
  );
  const own = events
    .slice(from)
    .filter(({ author, invocationId }) => author !== "user" && invocationId === run.invocationId);
  return { eventIds: own.map(({ id }) => id) };
}

export function parse({ json }: StoredEvent): WireEvent {
  // An event as it was stored.
  return JSON.parse(json) as WireEvent;
}
