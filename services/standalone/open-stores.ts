import type { Stores } from "#adapters/stores.ts";
import type { StoreName } from "#shared/metrics/store-metrics.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openCredentialStore } from "#shared/stores/credential-store.ts";
import { openEvalJobStore } from "#shared/stores/eval-job-store.ts";
import { openEvalStore } from "#shared/stores/eval-store.ts";
import { openMemoryStore } from "#shared/stores/memory-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext, type OpenedStore, type StoreContext } from "#shared/stores/store-context.ts";
import type { StandaloneConfig } from "./config.ts";

export const STORE_MEMBERS = [
  "sessionService",
  "runJournal",
  "artifactService",
  "memoryService",
  "evalStore",
  "credentialService",
  "evalJobStore",
] as const satisfies readonly (keyof Stores)[];

/** Returns the store to use instead of the opened one. */
export type WatchStore = <Store extends object>(name: StoreName, opened: OpenedStore<Store>) => Store;

/**
 * The stores that the settings name. The data folder is locked only if one of them uses it; no adapter is loaded
 * unused.
 */
export async function openStores(
  parts: Omit<StoreContext<StandaloneConfig>, "dataFolder">,
  watch: WatchStore = (_name, { store }) => store,
): Promise<Stores> {
  const context = createStoreContext(parts);
  const [sessions, artifacts, memory, evals, credentials, evalJobs] = await Promise.all([
    openSessionStore(context),
    openArtifactStore(context),
    openMemoryStore(context),
    openEvalStore(context),
    openCredentialStore(context),
    openEvalJobStore(context),
  ]);
  const sessionStore = watch("session", sessions);
  return {
    sessionService: sessionStore,
    runJournal: sessionStore,
    artifactService: watch("artifact", artifacts),
    memoryService: watch("memory", memory),
    evalStore: watch("eval", evals),
    credentialService: watch("credential", credentials),
    evalJobStore: watch("eval", evalJobs),
  };
}
