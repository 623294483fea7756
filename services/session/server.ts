import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from "#ports/sessions/session-limits.ts";
import type { StorageReader } from "#ports/storage-limits/storage-limits.ts";
import { answerBounds } from "#shared/grpc/answer-bounds.ts";
import { GrpcHandlers, type GrpcHandlersOptions } from "#shared/grpc/grpc-handlers.ts";
import { GrpcServer, type GrpcServerOptions } from "#shared/grpc/grpc-server.ts";
import type { GrantIssuer } from "#shared/security/grant-issuer.ts";
import { ownerRules } from "#shared/security/owner-rules.ts";
import { CREDENTIAL_ANSWERS, RUN_ANSWERS, sessionAnswers } from "./answers.ts";
import { credentialHandlers } from "./credential-handlers.ts";
import { evaluationHandlers } from "./evaluation-handlers.ts";
import type { EvaluationIssuer } from "./evaluation-issuer.ts";
import { GrantedJournal } from "./granted-journal.ts";
import { CREDENTIAL_OWNERS, RUN_OWNERS, SESSION_OWNERS } from "./owners.ts";
import { runJournalHandlers } from "./run-journal-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";

export interface SessionServerDeps
  extends GrpcHandlersOptions,
    Omit<GrpcServerOptions, "services" | "bounds" | "endLongCalls"> {
  readonly sessions: SessionService & StorageReader;
  /** Of the same store as `sessions`. */
  readonly journal: RunJournal;
  /** Users' credentials for tools; not served if absent. */
  readonly userCredentials?: (CredentialService & CredentialDirectory) | undefined;
  /** Limits of a session, if they are not the defaults. */
  readonly limits?: SessionLimits;
  /** Signs the grants of runs; absent if principals are not required. */
  readonly grants?: GrantIssuer | undefined;
  /** Signs the permits and grants of evaluations; absent if principals are not required. */
  readonly evaluations?: EvaluationIssuer | undefined;
}

/** The gRPC server of a store of sessions and runs, and of users' credentials. */
export function createSessionServer(deps: SessionServerDeps): GrpcServer {
  const { limits = DEFAULT_SESSION_LIMITS } = deps;
  const stopping = new AbortController();
  const { service: sessions } = loadProto("session").fairlead.session.v1.SessionService;
  const { service: journal } = loadProto("runJournal").fairlead.session.v1.RunJournalService;
  const { service: credentials } = loadProto("credential").fairlead.credential.v1.CredentialService;
  const owners = new Map([
    ...ownerRules(sessions, SESSION_OWNERS),
    ...ownerRules(journal, RUN_OWNERS),
    ...ownerRules(credentials, CREDENTIAL_OWNERS),
  ]);
  const bounds = new Map([
    ...answerBounds(sessions, sessionAnswers(limits)),
    ...answerBounds(journal, RUN_ANSWERS),
    ...answerBounds(credentials, CREDENTIAL_ANSWERS),
  ]);
  const handlers = new GrpcHandlers({ ...deps, owners });
  return new GrpcServer({
    ...deps,
    bounds,
    owners,
    endLongCalls: () => stopping.abort(),
    services: [
      {
        definition: sessions,
        handlers: {
          ...sessionHandlers(deps.sessions, handlers, limits),
          ...evaluationHandlers(deps.evaluations, handlers),
        },
      },
      {
        definition: journal,
        handlers: runJournalHandlers(new GrantedJournal(deps.journal, deps.grants), handlers, stopping.signal),
      },
      ...(deps.userCredentials === undefined
        ? []
        : [{ definition: credentials, handlers: credentialHandlers(deps.userCredentials, handlers) }]),
    ],
  });
}
