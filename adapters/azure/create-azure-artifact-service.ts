import { readFile } from "node:fs/promises";
import {
  ContainerClient,
  type StoragePipelineOptions,
  StorageRetryPolicyType,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { BucketArtifactService } from "#ports/artifacts/bucket/bucket-artifact-service.ts";
import type { ContentSealer } from "#ports/encryption/content-sealer.ts";
import type { StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import { AzureObjects, type AzureObjectsOptions } from "./azure-objects.ts";

export interface AzureArtifactServiceSettings extends Pick<AzureObjectsOptions, "deadlineMs" | "pageSize" | "sleep"> {
  /** The URL of the container, which must exist: `https://account.blob.core.windows.net/container`. */
  readonly containerUrl: string;
  /** The account's key; by default the identity that the SDK finds in the environment. */
  readonly accountKey?: AccountKey | undefined;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Encrypts content; its methods may throw `MissingContentKey`. */
  readonly sealer?: ContentSealer | undefined;
  /** Limits of what is stored; none by default. */
  readonly storage?: StorageLimits | undefined;
}

/** A key, or a file with it, which is read again within five minutes. */
export type AccountKey = { readonly text: string } | { readonly file: string };

const KEY_VALID_MS = 5 * 60_000;
/** AzureObjects repeats requests itself, within one deadline. */
const ONCE: StoragePipelineOptions = {
  retryOptions: { maxTries: 1, retryPolicyType: StorageRetryPolicyType.FIXED },
};
/** Azure's rule for containers. */
const CONTAINER_NAME = /^[a-z0-9](?!.*--)[a-z0-9-]{1,61}[a-z0-9]$/;

/** Connects on the first request. Throws `CONFIGURATION` for a URL that names no container. */
export function createAzureArtifactService(settings: AzureArtifactServiceSettings): BucketArtifactService {
  const { containerUrl, accountKey, clock, ids, sealer, storage, deadlineMs, pageSize, sleep } = settings;
  const account = accountOf(containerUrl);
  let opened: { readonly client: Promise<ContainerClient>; readonly until: number } | undefined;
  const container = (): Promise<ContainerClient> => {
    if (opened !== undefined && clock.now() < opened.until) return opened.client;
    const client = openContainer(containerUrl, account, accountKey);
    const isKept = accountKey === undefined || "text" in accountKey;
    opened = { client, until: isKept ? Number.POSITIVE_INFINITY : clock.now() + KEY_VALID_MS };
    client.catch(() => {
      opened = undefined;
    });
    return client;
  };
  const objects = new AzureObjects({ container, deadlineMs, pageSize, sleep });
  return new BucketArtifactService({ objects, clock, ids, sealer, storage });
}

async function openContainer(url: string, account: string, key: AccountKey | undefined): Promise<ContainerClient> {
  if (key !== undefined) {
    const text = "text" in key ? key.text : await readKey(key.file);
    return new ContainerClient(url, new StorageSharedKeyCredential(account, text), ONCE);
  }
  const { DefaultAzureCredential } = await importOptional({
    name: "@azure/identity",
    user: "Artifacts on Azure without an account key",
    load: () => import("@azure/identity"),
  });
  return new ContainerClient(url, new DefaultAzureCredential(), ONCE);
}

/** The account stands in the host's name, and on other servers than Azure's before the container. */
function accountOf(containerUrl: string): string {
  const { hostname, pathname, search } = URL.parse(containerUrl) ?? { hostname: "", pathname: "", search: "" };
  const names = pathname.split("/").slice(1);
  const [account = "", container = ""] = names.length > 1 ? names : [hostname.split(".", 1)[0], names[0]];
  if (names.length <= 2 && account !== "" && CONTAINER_NAME.test(container) && search === "") return account;
  throw new PlatformError(
    "CONFIGURATION",
    "The URL of the artifact container should be https://ACCOUNT.blob.core.windows.net/CONTAINER, without a signature.",
  );
}

async function readKey(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw unreadable("cannot be read", cause);
  });
  if (text.trim() === "") throw unreadable("is empty");
  return text.trim();
}

function unreadable(why: string, cause?: unknown): PlatformError {
  const message = `The file with the key of the artifact store ${why}. The operator must write it.`;
  return new PlatformError("STORE_UNAVAILABLE", message, { cause });
}
