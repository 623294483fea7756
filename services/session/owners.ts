import { PlatformError } from "#kit/errors/platform-error.ts";
import type { SessionKey__Output } from "#proto/fairlead/common/v1/SessionKey.ts";
import type { CredentialOwner__Output } from "#proto/fairlead/credential/v1/CredentialOwner.ts";
import type { CredentialServiceDefinition } from "#proto/fairlead/credential/v1/CredentialService.ts";
import type { Lease__Output } from "#proto/fairlead/session/v1/Lease.ts";
import type { RunJournalServiceDefinition } from "#proto/fairlead/session/v1/RunJournalService.ts";
import type { SessionServiceDefinition } from "#proto/fairlead/session/v1/SessionService.ts";
import { ownerOfCounts } from "#shared/quota/owner-of-counts.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";
import { type Owner, ownerOfRuns } from "#shared/security/principal.ts";

/** The owners of the sessions that calls name. */
export const SESSION_OWNERS: OwnerRules<SessionServiceDefinition> = {
  ListData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  DeleteData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  BeginDeletion: ({ tenantId }) => ({ tenantId, everyUser: true }),
  EndDeletion: ({ tenantId }) => ({ tenantId, everyUser: true }),
  ListDeletions: "no-user",
  ListIdleSessions: "no-user",
  ListOldData: "no-user",
  DeleteOldData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  CreateSession: ({ header }) => header ?? undefined,
  GetSession: ({ key }) => key ?? undefined,
  ListSessions: ({ tenantId, appName, userId }) => ({ tenantId, appName, userId }),
  DeleteSession: ({ key }) => key ?? undefined,
  ListEvents: ({ key }) => key ?? undefined,
  AppendEvent: ({ key }) => key ?? undefined,
  CloseSession: ({ key }) => key ?? undefined,
  ApplyStateDelta: ({ key }) => key ?? undefined,
  ReadStorage: ({ counts }) => ownerOfCounts("counts", counts),
  AllowEvaluation: ({ tenantId, appName, userId }) => ownerOfRuns({ tenantId, appName, userId }),
  GrantEvaluation: ({ key }) => key ?? undefined,
};

/**
 * The owners of the runs that calls name. The pipe is one stream for all runs of a runner: each of its requests is
 * checked as the call that it represents.
 */
export const RUN_OWNERS: OwnerRules<RunJournalServiceDefinition> = {
  BeginRun: ({ session, runId }) => ({ ...session, runId }),
  AppendEvents: ownerOfLease,
  JournalPipe: "by-handler",
  FinishRun: ownerOfLease,
  RenewLease: ownerOfLease,
  ReleaseRun: ownerOfLease,
  SignGrant: "by-handler",
  RequestCancel: "by-handler",
  GetRun: "by-handler",
  BatchGetHeads: ({ sessions }) => ownerOfAll(sessions),
  ListAbandonedRuns: () => ({ everyUser: true }),
  ListRuns: ({ tenantId, session, appName, userId }) => session ?? ownerOfRuns({ tenantId, appName, userId }),
};

/** The owners of the credentials that calls name. All sessions of the user and app share them. */
export const CREDENTIAL_OWNERS: OwnerRules<CredentialServiceDefinition> = {
  DeleteData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  LoadCredential: ownerOfCredential,
  SaveCredential: ownerOfCredential,
  DeleteCredential: ownerOfCredential,
  ListCredentials: ({ tenantId, appName, userId }) => ({
    ...{ tenantId, userId, ofUser: true },
    appName,
  }),
};

function ownerOfCredential({ owner }: { readonly owner: CredentialOwner__Output | null }): Owner | undefined {
  return owner === null ? undefined : { ...owner, ofUser: true };
}

function ownerOfLease({ lease }: { readonly lease: Lease__Output | null }): Owner | undefined {
  return lease === null ? undefined : { ...lease.session, runId: lease.runId };
}

/**
 * The owner of all the sessions if it is one; otherwise the request is for all users of their tenant. Throws
 * `INVALID_FIELD` for sessions of several tenants, which no principal reaches.
 */
function ownerOfAll(sessions: readonly SessionKey__Output[]): Owner | undefined {
  const [first, ...others] = sessions;
  if (first === undefined) return undefined;
  const { tenantId, appName, userId } = first;
  if (!others.every((other) => other.tenantId === tenantId))
    throw new PlatformError("INVALID_FIELD", "sessions must be of one tenant.", { details: { field: "sessions" } });
  if (!others.every((other) => other.appName === appName)) return { tenantId, everyUser: true };
  const isOneUsers = others.every((other) => other.userId === userId);
  return { tenantId, appName, ...(isOneUsers ? { userId } : { everyUser: true }) };
}
