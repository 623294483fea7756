import { join } from "node:path";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { checkOptions, clock, type OptionRules, required, text } from "#kit/schema/check-options.ts";
import { encryptionWith, KEY_PROVIDER_RULE } from "#ports/encryption/given-key-provider.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import {
  type GivenStorageLimits,
  meteredLimits,
  STORAGE_LIMITS_RULE,
} from "#ports/storage-limits/given-storage-limits.ts";
import { FileArtifactService } from "./file-artifact-service.ts";
import { FileEvalStore } from "./file-eval-store.ts";

/** Options of `openFileStores`. */
export interface FileStoresOptions {
  /**
   * The folder in which the folders `artifacts` and `evals` and a file `lock` are created. Created if missing, readable
   * only by its owner.
   */
  readonly folder: string;
  /** Encrypts artifacts with a key for each tenant; they are stored as they are by default. */
  readonly keyProvider?: KeyProvider | undefined;
  /** Limits of what users, apps and tenants store; none by default. */
  readonly storage?: GivenStorageLimits | undefined;
  readonly clock?: Clock | undefined;
}

/** Artifacts, evaluation sets and their results as files. Disposing unlocks the folder. */
export interface FileStores extends AsyncDisposable {
  readonly artifactService: ArtifactService;
  readonly evalStore: EvalStore;
}

const RULES: OptionRules<FileStoresOptions> = {
  folder: required(text),
  keyProvider: KEY_PROVIDER_RULE,
  storage: STORAGE_LIMITS_RULE,
  clock,
};

/** A locked folder, until it is disposed of. */
type LockFolder = (folder: string) => Disposable & { readonly path: string };

export function createFileStores(options: FileStoresOptions, lockFolder: LockFolder): FileStores {
  checkOptions("openFileStores", options, RULES);
  const { clock: ownClock = systemClock } = options;
  const dataDir = lockFolder(options.folder);
  const content = encryptionWith(options.keyProvider, ownClock);
  const root = join(dataDir.path, "artifacts");
  const artifacts = new FileArtifactService({
    ...{ root, clock: ownClock, sealer: content?.sealer, storage: meteredLimits(options.storage, "artifacts") },
  });
  return {
    artifactService: content?.withKeys(artifacts) ?? artifacts,
    evalStore: new FileEvalStore({
      ...{
        folder: join(dataDir.path, "evals"),
        clock: ownClock,
        storage: meteredLimits(options.storage, "evaluations"),
      },
    }),
    [Symbol.asyncDispose]: async () => dataDir[Symbol.dispose](),
  };
}
