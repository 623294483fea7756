import { join } from "node:path";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { Type } from "#kit/schema/shape.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { limitNamesOf, type StorageLimits } from "#ports/storage-limits/storage-limits.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { QuotaRulesContext } from "../quota/open-quota-rules.ts";
import { openStorageLimits } from "../quota/rules-storage-limits.ts";
import { type ContentConfig, openContentEncryption } from "./open-content-encryption.ts";
import type { azureConfigSchema, gcsConfigSchema, s3ConfigSchema } from "./storage-settings.ts";
import { choicesIn, type OpenedStore, type StoreContext, type StoreOpener } from "./store-context.ts";

type BucketConfig = ConfigOf<typeof gcsConfigSchema> &
  ConfigOf<typeof s3ConfigSchema> &
  ConfigOf<typeof azureConfigSchema>;
type QuotaConfig = QuotaRulesContext["config"];

const PROBED_SESSION = { appName: "readiness", userId: "readiness", id: "readiness" };

const ARTIFACT_STORES = {
  files: async (context) => {
    const { dataFolder, clock } = context;
    const root = join(dataFolder(), "artifacts");
    const { FileArtifactService } = await import("#adapters/files/file-artifact-service.ts");
    const { spaceProbe } = await import("#adapters/files/space-probe.ts");
    const content = await openContentEncryption(context);
    const store = new FileArtifactService({ root, clock, sealer: content?.sealer, storage: await limitsOf(context) });
    return { store: content?.withKeys(store) ?? store, probeSpace: spaceProbe(root, "artifacts") };
  },
  memory: async (context) => {
    const { clock } = context;
    const { InMemoryArtifactService } = await import("#ports/artifacts/in-memory-artifact-service.ts");
    return { store: new InMemoryArtifactService({ clock, storage: await limitsOf(context) }) };
  },
  gcs: async (context) => {
    const { config, clock, ids } = context;
    const { createGcsArtifactService } = await importOptional({
      name: "@google-cloud/storage",
      user: "Artifacts in Cloud Storage",
      load: () => import("#adapters/gcs/create-gcs-artifact-service.ts"),
    });
    const content = await openContentEncryption(context);
    const store = createGcsArtifactService({
      bucketName: config.GCS_BUCKET,
      layout: config.ARTIFACT_LAYOUT,
      sealer: content?.sealer,
      storage: await limitsOf(context),
      clock,
      ids,
      apiEndpoint: config.STORAGE_EMULATOR_HOST !== "" ? config.STORAGE_EMULATOR_HOST : undefined,
    });
    return { store: content?.withKeys(store) ?? store, probe: () => store.listArtifactKeys(PROBED_SESSION) };
  },
  s3: async (context) => {
    const { config, clock, ids, stack } = context;
    const { createS3ArtifactService } = await importOptional({
      name: "@aws-sdk/client-s3",
      user: "Artifacts on S3",
      load: () => import("#adapters/s3/create-s3-artifact-service.ts"),
    });
    const content = await openContentEncryption(context);
    const { credentialsOfFiles } = await import("#adapters/s3/key-files.ts");
    const opened = createS3ArtifactService({
      bucket: config.S3_BUCKET,
      endpoint: config.S3_ENDPOINT || undefined,
      region: config.S3_REGION,
      pathStyle: config.S3_PATH_STYLE,
      kmsKeyId: config.S3_KMS_KEY_ID || undefined,
      credentials: credentialsOfFiles(
        {
          accessKeyIdFile: config.S3_ACCESS_KEY_ID_FILE,
          secretAccessKeyFile: config.S3_SECRET_ACCESS_KEY_FILE,
          settings: ["S3_ACCESS_KEY_ID_FILE", "S3_SECRET_ACCESS_KEY_FILE"],
        },
        clock,
      ),
      sealer: content?.sealer,
      storage: await limitsOf(context),
      setting: "S3_ENDPOINT",
      clock,
      ids,
    });
    stack.use(opened);
    await opened.start();
    const { service } = opened;
    return { store: content?.withKeys(service) ?? service, probe: () => service.listArtifactKeys(PROBED_SESSION) };
  },
  azure: async (context) => {
    const { config, clock, ids } = context;
    const { createAzureArtifactService } = await importOptional({
      name: "@azure/storage-blob",
      user: "Artifacts on Azure",
      load: () => import("#adapters/azure/create-azure-artifact-service.ts"),
    });
    const content = await openContentEncryption(context);
    const file = config.AZURE_ACCOUNT_KEY_FILE;
    const service = createAzureArtifactService({
      containerUrl: config.AZURE_CONTAINER_URL,
      accountKey: file === "" ? undefined : { file },
      sealer: content?.sealer,
      storage: await limitsOf(context),
      clock,
      ids,
    });
    return { store: content?.withKeys(service) ?? service, probe: () => service.listArtifactKeys(PROBED_SESSION) };
  },
} as const satisfies Record<
  string,
  StoreOpener<ArtifactService & MeteredStore, BucketConfig & ContentConfig & QuotaConfig>
>;

function limitsOf(context: QuotaRulesContext): Promise<StorageLimits | undefined> {
  return openStorageLimits(context, limitNamesOf("artifacts"));
}

export const artifactStoreConfigSchema = Type.Object({
  ARTIFACT_STORE: Type.Enum(choicesIn(ARTIFACT_STORES), {
    default: "files",
    description: "Where artifacts are kept.",
  }),
});

export function openArtifactStore(
  context: StoreContext<BucketConfig & ContentConfig & QuotaConfig & ConfigOf<typeof artifactStoreConfigSchema>>,
): Promise<OpenedStore<ArtifactService & MeteredStore>> {
  return ARTIFACT_STORES[context.config.ARTIFACT_STORE](context);
}
