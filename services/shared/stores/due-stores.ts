import { prepareDataDir } from "#adapters/sqlite/data-dir.ts";
import { Type } from "#kit/schema/shape.ts";
import type { CredentialSealer } from "#ports/credentials/credential-sealer.ts";
import type { InboxStore } from "#ports/inbox/inbox-store.ts";
import type { PushStore } from "#ports/push/push-store.ts";
import type { RowTable } from "#ports/rows/row-table.ts";
import type { ScheduleStore } from "#ports/schedules/schedule-store.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { type CredentialKeysConfig, openCredentialKeys } from "./credential-store.ts";
import { type DatabaseConfig, openRowTable, ROW_BACKENDS, type RowBackend } from "./row-table.ts";
import type { dataDirConfigSchema } from "./storage-settings.ts";
import { DATA_DIR_OPTIONS, type StoreContext } from "./store-context.ts";

export const pushStoreConfigSchema = Type.Object({
  A2A_PUSH: Type.Enum(["off", ...ROW_BACKENDS], {
    default: "off",
    description:
      "Where push notification configurations of the Agent2Agent protocol are kept, their secrets sealed; `memory` ends with the process. `off`: clients cannot ask for push notifications.",
  }),
});

type Config = DatabaseConfig &
  CredentialKeysConfig &
  ConfigOf<typeof dataDirConfigSchema> &
  ConfigOf<typeof pushStoreConfigSchema>;

/** Undefined if push notifications are off. */
export async function openPushStore(
  context: Pick<StoreContext<Config>, "config" | "stack" | "clock" | "logger">,
): Promise<PushStore | undefined> {
  const { A2A_PUSH: backend } = context.config;
  if (backend === "off") return undefined;
  const { table, sealer } = await openSealedTable(context, backend, "push");
  const { TabularPushStore } = await import("#ports/push/tabular-push-store.ts");
  return new TabularPushStore({ table, sealer });
}

type SealedConfig = DatabaseConfig & CredentialKeysConfig & ConfigOf<typeof dataDirConfigSchema>;

/** The table, and what seals secrets in it; nothing does in memory. */
async function openSealedTable(
  context: Pick<StoreContext<SealedConfig>, "config" | "stack" | "clock" | "logger">,
  backend: RowBackend,
  name: string,
): Promise<{ readonly table: RowTable; readonly sealer?: CredentialSealer }> {
  // Does not take the folder's lock, because gateways of one machine may share the folder.
  const dataFolder = () => prepareDataDir(context.config.DATA_DIR, DATA_DIR_OPTIONS);
  const { store: table } = await openRowTable(context, { backend, name, dataFolder });
  if (backend === "memory") return { table };
  const keys = await openCredentialKeys({ ...context, dataFolder }, backend);
  const { CredentialSealer } = await import("#ports/credentials/credential-sealer.ts");
  return { table, sealer: new CredentialSealer(keys) };
}

export const scheduleStoreConfigSchema = Type.Object({
  SCHEDULES: Type.Enum(["off", ...ROW_BACKENDS], {
    default: "off",
    description:
      "Where schedules of runs are kept; `memory` ends with the process. `off`: there are none, and nothing looks for them.",
  }),
  MAX_SCHEDULES_PER_USER: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 10_000,
    description: "Most schedules of one user.",
  }),
  SCHEDULE_MIN_SECONDS: Type.Integer({
    default: 60,
    minimum: 60,
    maximum: 31 * 24 * 60 * 60,
    description: "Shortest pause between two ticks of a schedule, in seconds.",
  }),
});

type ScheduleConfig = DatabaseConfig &
  ConfigOf<typeof dataDirConfigSchema> &
  ConfigOf<typeof scheduleStoreConfigSchema>;

/** Undefined if there are no schedules. */
export async function openScheduleStore(
  context: Pick<StoreContext<ScheduleConfig>, "config" | "stack">,
): Promise<ScheduleStore | undefined> {
  const { SCHEDULES: backend, DATA_DIR } = context.config;
  if (backend === "off") return undefined;
  // Does not take the folder's lock, because gateways of one machine may share the folder.
  const dataFolder = () => prepareDataDir(DATA_DIR, DATA_DIR_OPTIONS);
  const { store: table } = await openRowTable(context, { backend, name: "schedules", dataFolder });
  const { TabularScheduleStore } = await import("#ports/schedules/tabular-schedule-store.ts");
  return new TabularScheduleStore({ table });
}

export const inboxStoreConfigSchema = Type.Object({
  INBOX: Type.Enum(["off", ...ROW_BACKENDS], {
    default: "off",
    description:
      "Where the times of questions that apps limit (`inbox`) and the claims of inbox entries are kept; `memory` ends with the process. `off`: questions wait until they are answered, and nobody can claim them.",
  }),
});

type InboxConfig = DatabaseConfig & ConfigOf<typeof dataDirConfigSchema> & ConfigOf<typeof inboxStoreConfigSchema>;

/** Undefined if they are off. */
export async function openInboxStore(
  context: Pick<StoreContext<InboxConfig>, "config" | "stack">,
): Promise<InboxStore | undefined> {
  const { INBOX: backend, DATA_DIR } = context.config;
  if (backend === "off") return undefined;
  // Does not take the folder's lock, because gateways of one machine may share the folder.
  const dataFolder = () => prepareDataDir(DATA_DIR, DATA_DIR_OPTIONS);
  const { store: table } = await openRowTable(context, { backend, name: "inbox", dataFolder });
  const { TabularInboxStore } = await import("#ports/inbox/tabular-inbox-store.ts");
  return new TabularInboxStore({ table });
}

export const webhookStoreConfigSchema = Type.Object({
  WEBHOOKS: Type.Enum(["off", ...ROW_BACKENDS], {
    default: "off",
    description:
      "Where webhooks and their messages are kept, their secrets sealed; `memory` ends with the process. `off`: there are none, and a turn writes nothing for them.",
  }),
  WEBHOOK_SECRETS_FILE: Type.String({
    default: "",
    description:
      "YAML file with the secrets that definitions of apps name: `alerts: whsec_…`. It is read again when it changes; messages then have two signatures for a day.",
  }),
  MAX_WEBHOOKS_PER_TENANT: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1_000,
    description: "Most webhooks of one tenant.",
  }),
});

type WebhookConfig = DatabaseConfig &
  CredentialKeysConfig &
  ConfigOf<typeof dataDirConfigSchema> &
  ConfigOf<typeof webhookStoreConfigSchema>;

/** Undefined if there are no webhooks. */
export async function openWebhookStore(
  context: Pick<StoreContext<WebhookConfig>, "config" | "stack" | "clock" | "logger">,
): Promise<WebhookStore | undefined> {
  const { WEBHOOKS: backend } = context.config;
  if (backend === "off") return undefined;
  const { table, sealer } = await openSealedTable(context, backend, "webhooks");
  const { TabularWebhookStore } = await import("#ports/webhooks/tabular-webhook-store.ts");
  return new TabularWebhookStore({ table, sealer });
}
