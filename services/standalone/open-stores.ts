import { join } from "node:path";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { EvalStore } from "#kit/evaluation/eval-store.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { StandaloneConfig } from "./config.ts";
import { openDataDir } from "./data-dir.ts";

export interface Stores {
  readonly sessionService: SessionService;
  readonly runJournal: RunJournal;
  readonly artifactService: ArtifactService;
  readonly memoryService: MemoryService;
  readonly evalStore: EvalStore;
}

interface Context {
  readonly config: StandaloneConfig;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Closes what was opened. */
  readonly stack: AsyncDisposableStack;
}

/** The stores that the settings name. The data folder is taken only when one of them lives there; no adapter is loaded unused. */
export async function openStores(context: Context): Promise<Stores> {
  const { config, stack } = context;
  const { SESSION_STORE, ARTIFACT_STORE, MEMORY_STORE, EVAL_STORE } = config;
  const isDurable = [SESSION_STORE, ARTIFACT_STORE, MEMORY_STORE, EVAL_STORE].some((store) => store !== "memory");
  const folder = isDurable ? stack.use(openDataDir(config.DATA_DIR)).path : "";
  const [sessions, artifactService, memoryService, evalStore] = await Promise.all([
    openSessions(context, folder),
    openArtifacts(context, folder),
    openMemory(context, folder),
    openEvals(context, folder),
  ]);
  return { sessionService: sessions, runJournal: sessions, artifactService, memoryService, evalStore };
}

async function openSessions(
  { config, clock, ids, stack }: Context,
  folder: string,
): Promise<SessionService & RunJournal> {
  if (config.SESSION_STORE === "memory") {
    const { InMemorySessionStore } = await import("#kit/sessions/in-memory-session-store.ts");
    return new InMemorySessionStore({ clock, ids });
  }
  const { SqliteSessionStore } = await import("#adapters/sqlite/sqlite-session-store.ts");
  return stack.use(new SqliteSessionStore({ folder, clock, ids }));
}

async function openArtifacts({ config, clock }: Context, folder: string): Promise<ArtifactService> {
  if (config.ARTIFACT_STORE === "memory") {
    const { InMemoryArtifactService } = await import("#kit/artifacts/in-memory-artifact-service.ts");
    return new InMemoryArtifactService({ clock });
  }
  const { FileArtifactService } = await import("#adapters/files/file-artifact-service.ts");
  return new FileArtifactService({ root: join(folder, "artifacts"), clock });
}

async function openMemory({ config, clock, ids, stack }: Context, folder: string): Promise<MemoryService> {
  if (config.MEMORY_STORE === "memory") {
    const { InMemoryMemoryService } = await import("#kit/memory/in-memory-memory-service.ts");
    return new InMemoryMemoryService({ clock, ids });
  }
  const { SqliteMemoryService } = await import("#adapters/sqlite/sqlite-memory-service.ts");
  return stack.use(new SqliteMemoryService({ path: join(folder, "memory.sqlite"), clock, ids }));
}

async function openEvals({ config, clock }: Context, folder: string): Promise<EvalStore> {
  if (config.EVAL_STORE === "memory") {
    const { InMemoryEvalStore } = await import("#kit/evaluation/in-memory-eval-store.ts");
    return new InMemoryEvalStore({ clock });
  }
  const { FileEvalStore } = await import("#adapters/files/file-eval-store.ts");
  return new FileEvalStore({ folder: join(folder, "evals"), clock });
}
