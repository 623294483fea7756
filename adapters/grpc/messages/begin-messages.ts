import type { StoredEvent } from "#kit/events/event-record.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { BeginRunRequest, BeginRunResult } from "#kit/sessions/run-journal.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import type {
  BeginRunRequest__Output,
  BeginRunRequest as RequestMessage,
} from "#proto/fairlead/session/v1/BeginRunRequest.ts";
import type {
  BeginRunResponse__Output,
  BeginRunResponse as ResponseMessage,
} from "#proto/fairlead/session/v1/BeginRunResponse.ts";
import { eventBatches, fromEventMessage, fromStoredEventMessage, toEventMessage } from "./event-messages.ts";
import { fromAbandonAfter, fromLeaseDuration } from "./lease-duration.ts";
import {
  fromJsonBytes,
  fromSessionKey,
  fromTimestamp,
  required,
  toDuration,
  toJsonBytes,
  toSessionKeyMessage,
  toTimestamp,
} from "./messages.ts";
import {
  fromLeaseMessage,
  fromPolicyMessage,
  fromRunMessage,
  toLeaseMessage,
  toPolicyMessage,
  toRunMessage,
} from "./run-messages.ts";

const SCOPES = { recorded: "RUN_SCOPE_RECORDED", available: "RUN_SCOPE_AVAILABLE" } as const;

export function toBeginMessage(request: BeginRunRequest) {
  const { haveIncarnation, opening, deadline, idempotencyKey, streamKey, maxQueued, abandonAfterMs } = request;
  return {
    runId: request.runId,
    session: toSessionKeyMessage(request.session),
    invocationId: request.invocationId,
    requestJson: toJsonBytes(request.request),
    policy: toPolicyMessage(request.policy),
    holder: request.holder,
    leaseDuration: toDuration(request.leaseMs),
    haveRevision: request.haveRevision,
    abandonAfter: abandonAfterMs === undefined ? undefined : toDuration(abandonAfterMs),
    haveIncarnation,
    fromHistoryStart: request.fromHistoryStart === true ? true : undefined,
    opening: opening && toEventMessage(opening),
    deadline: deadline === undefined ? undefined : toTimestamp(deadline),
    idempotencyKey,
    streamKey,
    maxQueued,
    limitedTo: request.limitedTo === undefined ? undefined : SCOPES[request.limitedTo],
    agentRevision: request.agentRevision,
    movesFrom: request.movesFrom,
    leftFor: request.leftFor,
  } satisfies RequestMessage;
}

export function fromBeginMessage(message: BeginRunRequest__Output): BeginRunRequest {
  const { haveIncarnation, opening, deadline, idempotencyKey, streamKey, maxQueued, abandonAfter } = message;
  return {
    runId: message.runId,
    session: fromSessionKey(message.session),
    invocationId: message.invocationId,
    request: fromJsonBytes<RunRequest>(message.requestJson, "The run's request"),
    policy: fromPolicyMessage(message.policy),
    holder: message.holder,
    leaseMs: fromLeaseDuration(message.leaseDuration),
    haveRevision: message.haveRevision,
    abandonAfterMs: abandonAfter ? fromAbandonAfter(abandonAfter) : undefined,
    haveIncarnation,
    fromHistoryStart: message.fromHistoryStart ? true : undefined,
    opening: opening ? fromEventMessage(opening) : undefined,
    deadline: deadline ? fromTimestamp(deadline) : undefined,
    idempotencyKey,
    streamKey,
    maxQueued,
    limitedTo: message.limitedTo === SCOPES.recorded ? "recorded" : undefined,
    agentRevision: message.agentRevision,
    movesFrom: message.movesFrom,
    leftFor: message.leftFor,
    ...(message.limitedTo === SCOPES.available && { limitedTo: "available" }),
  };
}

/** The outcome with the run's grant, and the session's events in as many messages as are needed. */
export function* toBegunMessages(result: BeginRunResult, grant = ""): Generator<ResponseMessage, void, undefined> {
  const run = toRunMessage(result.run);
  if (result.kind === "existing") return yield { existing: { run } };
  if (result.kind === "queued") return yield { queued: { run, behind: result.behind }, grant };
  const { incarnation, revision, complete, state, lastUpdateTime, events } = result.snapshot;
  const snapshot = {
    incarnation,
    revision,
    complete,
    stateJson: toJsonBytes(state),
    lastUpdateTime: toTimestamp(lastUpdateTime),
  };
  let head: ResponseMessage = {
    started: { lease: toLeaseMessage(result.lease), run, snapshot, opened: result.opened },
    grant,
  };
  for (const batch of eventBatches(events)) {
    yield { ...head, events: batch };
    head = {};
  }
  if (head.started) yield head;
}

/** Reassembles the outcome from its messages. */
export class SnapshotReader {
  #first: BeginRunResponse__Output | undefined;
  readonly #events: StoredEvent[] = [];

  add(message: BeginRunResponse__Output): void {
    this.#first ??= message;
    for (const event of message.events) this.#events.push(fromStoredEventMessage(event));
  }

  /** Empty if there is none. */
  get grant(): string {
    return this.#first?.grant ?? "";
  }

  result(): BeginRunResult {
    const { started, queued, existing } = required(this.#first);
    if (existing) return { kind: "existing", run: fromRunMessage(existing.run) };
    if (queued) return { kind: "queued", run: fromRunMessage(queued.run), behind: queued.behind };
    const { lease, run, snapshot, opened } = required(started);
    const { incarnation, revision, complete, stateJson, lastUpdateTime } = required(snapshot);
    return {
      kind: "started",
      lease: fromLeaseMessage(lease),
      run: fromRunMessage(run),
      snapshot: {
        incarnation,
        revision,
        events: this.#events,
        complete,
        state: fromJsonBytes<JsonObject>(stateJson, "The state"),
        lastUpdateTime: fromTimestamp(lastUpdateTime),
      },
      opened,
    };
  }
}
