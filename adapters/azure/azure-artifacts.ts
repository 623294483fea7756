import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { type ClockAndIdsOptions, completeClockAndIds } from "#kit/platform/clock-and-ids.ts";
import {
  checkOptions,
  clock,
  ids,
  integer,
  matching,
  type OptionRules,
  required,
  text,
} from "#kit/schema/check-options.ts";
import { encryptionWith, KEY_PROVIDER_RULE } from "#ports/encryption/given-key-provider.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";
import {
  type GivenStorageLimits,
  meteredLimits,
  STORAGE_LIMITS_RULE,
} from "#ports/storage-limits/given-storage-limits.ts";
import { createAzureArtifactService } from "./create-azure-artifact-service.ts";

/** Options of `openAzureArtifacts`. */
export interface AzureArtifactsOptions extends ClockAndIdsOptions {
  /** The URL of the container, which must exist: `https://account.blob.core.windows.net/container`. */
  readonly containerUrl: string;
  /** The account's key; by default the identity that the SDK finds: variables, workload identity, managed identity. */
  readonly accountKey?: string | undefined;
  /** Encrypts artifacts with a key for each tenant before they are sent; they are stored as they are by default. */
  readonly keyProvider?: KeyProvider | undefined;
  /** Limits of what users, apps and tenants store; none by default. */
  readonly storage?: GivenStorageLimits | undefined;
  /** The time limit of one call, in milliseconds; 30,000 by default. */
  readonly deadlineMs?: number | undefined;
}

/** Artifacts in a container of Azure Blob Storage. */
export interface AzureArtifacts {
  readonly artifactService: ArtifactService;
}

const RULES: OptionRules<AzureArtifactsOptions> = {
  containerUrl: required(matching("an http:// or https:// URL", /^https?:\/\/[^\s/]/)),
  accountKey: text,
  keyProvider: KEY_PROVIDER_RULE,
  storage: STORAGE_LIMITS_RULE,
  deadlineMs: integer(1, " milliseconds"),
  clock,
  ids,
};

export function openAzureArtifacts(options: AzureArtifactsOptions): AzureArtifacts {
  checkOptions("openAzureArtifacts", options, RULES);
  const { containerUrl, accountKey, deadlineMs } = options;
  const sources = completeClockAndIds(options);
  const content = encryptionWith(options.keyProvider, sources.clock);
  const service = createAzureArtifactService({
    ...{ containerUrl, deadlineMs },
    accountKey: accountKey === undefined ? undefined : { text: accountKey },
    sealer: content?.sealer,
    storage: meteredLimits(options.storage, "artifacts"),
    ...sources,
  });
  return { artifactService: content?.withKeys(service) ?? service };
}
