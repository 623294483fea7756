import { PlatformError } from "#kit/errors/platform-error.ts";
import type { FunctionResponse } from "#kit/events/content.ts";
import { CONFIRMATION_CALL, CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { isTerminal, type RunRecord, type RunRequest } from "#kit/sessions/run-record.ts";
import type { RouteDeps } from "../deps.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { ownKey } from "../requests/idempotency.ts";
import { findByKey, orReused } from "../runs/keyed-run.ts";
import { chooseNames, startRun } from "../runs/start-run.ts";
import { readWaitingCalls, type WaitingCall } from "../runs/waiting-calls.ts";

export const InboxAnswer = Type.Object({
  confirmed: Type.Optional(
    Type.Boolean({ description: "The answer to all confirmations of the entry that `answers` does not name." }),
  ),
  payload: Type.Optional(Type.Json({ description: "Given with `confirmed`: the payload, as the person changed it." })),
  answers: Type.Optional(
    Type.Map(Type.JsonObject(), {
      description: "The response to each question by its id: `{confirmed, payload?}`, or what the tool waits for.",
    }),
  ),
  takeOver: Type.Optional(
    Type.Boolean({ description: "Answers although somebody else has claimed the entry. False if absent." }),
  ),
});

/**
 * An answer can be lost before it is stored, for example when its run is cancelled in the queue: another one follows.
 * After so many, an answer gets a key that no other has, so that nobody can use the keys up; of two such answers at once
 * the store takes one, and the run of the other fails.
 */
const MAX_LOST_ANSWERS = 10;

/** A run that answers a waiting one. */
export interface StartedAnswer {
  readonly run: RunRecord;
  /** Whether this call has started it. */
  readonly isNew: boolean;
}

/** The responses to all questions, as the message of a run. */
export type AnswerRequest = Omit<RunRequest, "newMessage"> & { readonly responses: readonly FunctionResponse[] };

/**
 * Starts the run that answers all questions of a waiting run. One answer counts: a repeated one gets the run of the first,
 * and another one is refused. Throws `NOT_WAITING` if the run waits for nothing, and `INVALID_FIELD` for a question without
 * answer or an answer without question.
 */
export async function answerEntry(
  deps: RouteDeps,
  waiting: RunRecord,
  answer: Static<typeof InboxAnswer>,
  keyId: string | undefined,
): Promise<RunRecord> {
  const calls = await readWaitingCalls(deps.sessionService, waiting);
  if (calls.length === 0) throw notWaiting(waiting);
  const { run } = await startAnswer(deps, waiting, { responses: toResponses(calls, answer), streaming: true, keyId });
  return run;
}

/** Starts the run with the responses; see `answerEntry`. */
export async function startAnswer(
  deps: RouteDeps,
  waiting: RunRecord,
  { responses, ...members }: AnswerRequest,
): Promise<StartedAnswer> {
  const { session } = waiting;
  const parts = responses.map((functionResponse) => ({ functionResponse }));
  const request = { newMessage: { role: "user", parts }, ...members };
  for (let lost = 0; lost <= MAX_LOST_ANSWERS; lost += 1) {
    const chosen = chooseNames(deps);
    const idempotencyKey = ownKey("inbox", [waiting.runId, lost < MAX_LOST_ANSWERS ? lost : chosen.runId]);
    const run = await orReused(startRun(deps, { session, request, policy: "enqueue", idempotencyKey }, chosen));
    if (run?.runId === chosen.runId) return { run, isNew: true };
    const earlier = run ?? (await findByKey(deps, session, idempotencyKey));
    const { answeredBy } = (await deps.runJournal.get(waiting.runId)) ?? waiting;
    const isOnItsWay = earlier !== undefined && (!isTerminal(earlier.status) || earlier.runId === answeredBy);
    if (isOnItsWay && run !== undefined) return { run, isNew: false };
    if (isOnItsWay || answeredBy !== undefined) throw notWaiting(waiting, answeredBy ?? earlier?.runId);
  }
  throw notWaiting(waiting);
}

function toResponses(calls: readonly WaitingCall[], { confirmed, payload, answers = {} }: Static<typeof InboxAnswer>) {
  const ids = new Set(calls.map(({ id }) => id));
  for (const id of Object.keys(answers))
    if (!ids.has(id)) throw invalid(["answers", id], "The entry has no question of this id");
  return calls.map(({ id, name }) => {
    if (name === CREDENTIAL_CALL)
      throw invalid(["answers", id], "Only the user can sign in, at the agent's own client");
    const response = Object.hasOwn(answers, id) ? answers[id] : undefined;
    if (response !== undefined) return { id, name, response };
    if (name !== CONFIRMATION_CALL) throw invalid(["answers", id], "Field required");
    if (confirmed === undefined) throw invalid(["confirmed"], "Field required");
    return { id, name, response: decision(confirmed, payload) };
  });
}

function decision(confirmed: boolean, payload: JsonValue | undefined): JsonObject {
  return payload === undefined ? { confirmed } : { confirmed, payload };
}

function invalid(path: readonly string[], msg: string): InvalidRequestError {
  return new InvalidRequestError([{ type: "value_error", loc: ["body", ...path], msg }]);
}

export function notWaiting({ runId, answeredBy: known }: RunRecord, answeredBy = known): PlatformError {
  const why = answeredBy === undefined ? "" : `: the run "${answeredBy}" answers it`;
  return new PlatformError("NOT_WAITING", `The run "${runId}" does not wait for an answer${why}.`, {
    details: present({ runId, answeredBy }),
  });
}
