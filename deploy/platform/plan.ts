import { join } from "node:path";
import { choicesOf } from "#kit/schema/read-json.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { SERVICE_NAMES, type ServiceName } from "#shared/security/call-graph.ts";
import { credentialStoreConfigSchema } from "#shared/stores/credential-store.ts";
import { evalStoreConfigSchema } from "#shared/stores/eval-store.ts";
import { memoryStoreConfigSchema } from "#shared/stores/memory-store.ts";
import { freePorts } from "#tooling/free-ports.ts";
import type { SecretSettings } from "#tooling/service-secrets.ts";
import type { PlatformOptions } from "./options.ts";

/** One process of the platform. */
export interface PlannedService {
  readonly name: ServiceName;
  /** Number of the replica. */
  readonly label: string;
  readonly settings: Readonly<Record<string, string>>;
  /** URL of /ready. */
  readonly adminUrl: string;
}

/** Arguments of a plan besides the options. */
export interface PlanParts {
  /** The settings with the backends' addresses. */
  readonly backends: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** The file with the keys of users' credentials; absent with stores in files, which create their own. */
  readonly credentialKeysFile?: string;
  /** Absent if services do not authenticate each other. */
  readonly secrets?: SecretSettings;
  /** Settings of gateways whose callers sign in. */
  readonly signIn?: Readonly<Record<string, string>>;
}

/** Services come before their callers to shorten the wait; any order works. */
const START_ORDER: readonly ServiceName[] = ["session", "artifact", "memory", "eval", "runner", "gateway"];
const REPLICATED: ReadonlySet<ServiceName> = new Set(["gateway", "runner", "session"]);

/** Returns the processes to start, with their settings. */
export async function planServices(
  options: PlatformOptions,
  { backends, dataDir, credentialKeysFile, secrets, signIn = {} }: PlanParts,
): Promise<readonly PlannedService[]> {
  const places = START_ORDER.flatMap((name) =>
    Array.from({ length: replicasOf(name, options) }, (_, index) => ({ name, index })),
  );
  const ports = await freePorts(places.length * 2);
  const placed = places.map((place, at) => ({ ...place, grpc: ports[at * 2] ?? 0, admin: ports[at * 2 + 1] ?? 0 }));
  const addresses = Object.fromEntries(
    SERVICE_NAMES.filter((name) => name !== "gateway").map((name) => [
      `${name.toUpperCase()}_SERVICE_ADDRESS`,
      targetOf(placed.filter((place) => place.name === name).map(({ grpc }) => grpc)),
    ]),
  );
  return placed.map(({ name, index, grpc, admin }) => {
    const port = name === "gateway" && index === 0 && options.port !== 0 ? options.port : admin;
    return {
      name,
      label: replicasOf(name, options) === 1 ? name : `${name} ${index + 1}`,
      adminUrl: `http://127.0.0.1:${name === "gateway" ? port : admin}`,
      settings: {
        LOG_LEVEL: options.logLevel,
        AGENTS_DIR: options.agentsDir,
        DATA_DIR: join(dataDir, name),
        ...storesOf(options),
        TRANSPORT: options.transport,
        ...(name === "session" && credentialKeysFile !== undefined && { CREDENTIAL_KEYS_FILE: credentialKeysFile }),
        ...backends,
        ...addresses,
        ...secrets?.(name),
        ...(name === "gateway"
          ? { PORT: String(port), ...signIn }
          : { GRPC_PORT: String(grpc), ADMIN_PORT: String(admin) }),
      },
    };
  });
}

/** A session store in a file can have only one process. */
export function replicasOf(name: ServiceName, { replicas, stores }: PlatformOptions): number {
  if (!REPLICATED.has(name) || (name === "session" && stores === "sqlite")) return 1;
  return replicas;
}

function targetOf(ports: readonly number[]): string {
  return `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(",")}`;
}

function storesOf({ stores, artifacts }: PlatformOptions): Readonly<Record<string, string>> {
  if (stores === "sqlite") {
    return {
      SESSION_STORE: "sqlite",
      ARTIFACT_STORE: artifacts,
      MEMORY_STORE: "sqlite",
      EVAL_STORE: "files",
      CREDENTIAL_STORE: "sqlite",
    };
  }
  const settings = [memoryStoreConfigSchema, evalStoreConfigSchema, credentialStoreConfigSchema].flatMap(settingsOf);
  const onDatabase = settings.filter(({ schema }) => choicesOf(schema)?.includes(stores));
  return {
    SESSION_STORE: stores,
    ARTIFACT_STORE: artifacts,
    ...Object.fromEntries(onDatabase.map(({ name }) => [name, stores])),
  };
}
