import type { UsageMetadata } from "#kit/events/content.ts";
import {
  CONCURRENCY_POLICIES,
  type ConcurrencyPolicy,
  type Lease,
  RUN_STATUSES,
  type RunRecord,
  type RunRequest,
  type RunStatus,
} from "#kit/sessions/run-record.ts";
import type { ConcurrencyPolicy as PolicyMessage } from "#proto/fairlead/common/v1/ConcurrencyPolicy.ts";
import type { RunRecord as RunMessage, RunRecord__Output } from "#proto/fairlead/common/v1/RunRecord.ts";
import type { RunStatus as StatusMessage } from "#proto/fairlead/common/v1/RunStatus.ts";
import type { Lease__Output, Lease as LeaseMessage } from "#proto/fairlead/session/v1/Lease.ts";
import {
  fromJsonBytes,
  fromSessionKey,
  fromTimestamp,
  required,
  toJsonBytes,
  toSessionKeyMessage,
  toTimestamp,
} from "./messages.ts";

/**
 * Converts messages about runs to and from the types of the ports. Both ends use these functions, so that they always
 * match.
 */

const STATUS_PREFIX = "RUN_STATUS_";
const POLICY_PREFIX = "CONCURRENCY_POLICY_";

export function toStatusMessage(status: RunStatus): keyof typeof StatusMessage {
  // The proto's enumeration has the statuses in upper case after the prefix; a test compares them.
  return `${STATUS_PREFIX}${status.toUpperCase()}` as keyof typeof StatusMessage;
}

export function fromStatusMessage(message: string): RunStatus {
  return required(RUN_STATUSES.find((status) => toStatusMessage(status) === message));
}

export function toPolicyMessage(policy: ConcurrencyPolicy): keyof typeof PolicyMessage {
  // The proto's enumeration has the policies in upper case after the prefix; a test compares them.
  return `${POLICY_PREFIX}${policy.toUpperCase()}` as keyof typeof PolicyMessage;
}

export function fromPolicyMessage(message: string): ConcurrencyPolicy {
  return required(CONCURRENCY_POLICIES.find((policy) => toPolicyMessage(policy) === message));
}

export function toLeaseMessage({ runId, session, holder, epoch, expiresAt }: Lease): LeaseMessage {
  return { runId, session: toSessionKeyMessage(session), holder, epoch, expiresAt: toTimestamp(expiresAt) };
}

export function fromLeaseMessage(message: Lease__Output | null): Lease {
  const { runId, session, holder, epoch, expiresAt } = required(message);
  return {
    runId,
    session: fromSessionKey(session),
    holder,
    epoch,
    expiresAt: fromTimestamp(expiresAt),
  };
}

export function toRunMessage(run: RunRecord): RunMessage {
  const { session, request, status, policy, createdTime, startedTime, finishedTime, deadline, usage, ...rest } = run;
  return {
    ...rest,
    session: toSessionKeyMessage(session),
    requestJson: toJsonBytes(request),
    status: toStatusMessage(status),
    policy: toPolicyMessage(policy),
    createdTime: toTimestamp(createdTime),
    startedTime: startedTime === undefined ? undefined : toTimestamp(startedTime),
    finishedTime: finishedTime === undefined ? undefined : toTimestamp(finishedTime),
    deadline: deadline === undefined ? undefined : toTimestamp(deadline),
    usageJson: usage && toJsonBytes(usage),
  };
}

export function fromRunMessage(given: RunRecord__Output | null): RunRecord {
  const message = required(given);
  const { handovers, holder, startedTime, finishedTime, deadline, idempotencyKey, usageJson, error, answeredBy } =
    message;
  const { streamKey, agentRevision } = message;
  return {
    runId: message.runId,
    session: fromSessionKey(message.session),
    invocationId: message.invocationId,
    request: fromJsonBytes<RunRequest>(message.requestJson, "The run's request"),
    status: fromStatusMessage(message.status),
    policy: fromPolicyMessage(message.policy),
    attempts: message.attempts,
    handovers,
    agentRevision,
    epoch: message.epoch,
    holder,
    createdTime: fromTimestamp(message.createdTime),
    startedTime: startedTime ? fromTimestamp(startedTime) : undefined,
    finishedTime: finishedTime ? fromTimestamp(finishedTime) : undefined,
    deadline: deadline ? fromTimestamp(deadline) : undefined,
    cancelRequested: message.cancelRequested,
    idempotencyKey,
    streamKey,
    usage: usageJson && fromJsonBytes<UsageMetadata>(usageJson, "The run's usage"),
    error: error ? { code: error.code, reason: error.reason, message: error.message } : undefined,
    answeredBy,
    baseRevision: message.baseRevision,
  };
}
