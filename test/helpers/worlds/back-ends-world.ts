import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import { RemoteCredentialService } from "#adapters/grpc/remote-credential-service.ts";
import { RemoteEvalJobs } from "#adapters/grpc/remote-eval-jobs.ts";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { RemoteMemoryService } from "#adapters/grpc/remote-memory-service.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { RemoteSessionService } from "#adapters/grpc/remote-session-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { TabularEvalJobStore } from "#ports/evaluation-jobs/tabular-eval-job-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { createMemoryServer } from "#services/memory/server.ts";
import { EvaluationIssuer } from "#services/session/evaluation-issuer.ts";
import { createSessionServer } from "#services/session/server.ts";
import type { GrpcServer } from "#shared/grpc/grpc-server.ts";
import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import { signGrantOnce } from "#shared/grpc/sign-grant-once.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";
import { peerAt, SecurityFiles } from "#test/helpers/security/security-files.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";

/** The four back-ends over gRPC, which demand tokens, principals and grants, on stores in memory. */
export async function startBackEnds() {
  const stack = new AsyncDisposableStack();
  const files = stack.use(new SecurityFiles());
  const clock = new FixedClock(systemClock.now());
  const sources = { clock, ids: new SequentialIds() };
  const sessions = new InMemorySessionStore(sources);
  const artifacts = new InMemoryArtifactService({ clock });
  const memory = new InMemoryMemoryService(sources);
  const credentials = new InMemoryCredentialService({ clock });
  const evaluations = new InMemoryEvalStore(sources);
  const evalJobs = new TabularEvalJobStore({ table: new InMemoryRowTable(), clock });
  const shellOf = (name: ServiceName) => ({ ...files.withPrincipals(name, { clock }).server, logger: silentLogger });
  const { server, grants, grantKeys: keys } = files.withPrincipals("session", { clock });
  const issuer = keys && new EvaluationIssuer({ ...sources, keys });
  const shell = { ...server, logger: silentLogger };
  const listen = (each: GrpcServer) => stack.use(each).listen("127.0.0.1:0");
  const ports = {
    session: await listen(
      createSessionServer({
        ...shell,
        sessions,
        journal: sessions,
        userCredentials: credentials,
        grants,
        evaluations: issuer,
      }),
    ),
    artifact: await listen(createArtifactServer({ ...shellOf("artifact"), artifacts })),
    memory: await listen(createMemoryServer({ ...shellOf("memory"), memory })),
    eval: await listen(createEvalServer({ ...shellOf("eval"), evaluations, jobs: inMemoryEvalJobs(evalJobs) })),
  };
  const connect = (security: ServiceSecurity) => {
    const journal = stack.use(new RemoteRunJournal(peerAt(ports.session, security, "session")));
    const prepare = signGrantOnce(() => journal.signGrant());
    return {
      sessions: stack.use(new RemoteSessionService(peerAt(ports.session, security, "session"))),
      journal,
      credentials: stack.use(new RemoteCredentialService(peerAt(ports.session, security, "session"))),
      artifacts: stack.use(new RemoteArtifactService({ ...peerAt(ports.artifact, security, "artifact"), prepare })),
      memory: stack.use(new RemoteMemoryService({ ...peerAt(ports.memory, security, "memory"), prepare })),
      evaluations: stack.use(new RemoteEvalStore(peerAt(ports.eval, security, "eval"))),
      evalJobs: stack.use(new RemoteEvalJobs(peerAt(ports.eval, security, "eval"))),
    };
  };
  return {
    files,
    clock,
    ports,
    stores: { sessions, artifacts, memory, evaluations, credentials, evalJobs },
    connect,
    gateway: connect(files.withPrincipals("gateway", { clock })),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type BackEnds = Awaited<ReturnType<typeof startBackEnds>>;
export type Remotes = BackEnds["gateway"];
