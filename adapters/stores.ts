import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import type { EvalJobStore } from "#ports/evaluation-jobs/eval-job-store.ts";

/** The stores of a server with all services. */
export interface Stores {
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  readonly artifactService: ArtifactService;
  readonly memoryService: MemoryService;
  readonly evalStore: EvalStore;
  /** Users' credentials for tools. */
  readonly credentialService: CredentialService & CredentialDirectory;
  readonly evalJobStore: EvalJobStore;
}
