import { firestoreEmulatorMissing, startFirestoreEmulator } from "#tooling/emulators/firestore-emulator.ts";
import { GcsEmulator, locateGcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
import { PostgresServer } from "#tooling/emulators/postgres-server.ts";
import { RedisServer, redisMissing } from "#tooling/emulators/redis-server.ts";
import type { PlatformOptions } from "./options.ts";

/** The running backends that the services need. */
export interface Backends extends AsyncDisposable {
  /** Their names and process ids. */
  readonly processes: readonly string[];
  /** The settings with the backends' addresses. */
  readonly settings: Readonly<Record<string, string>>;
  /** Kills them without waiting, when this process ends. */
  readonly kill: () => void;
}

/** A Ctrl-C goes to every process of a terminal; the backends have to outlive the services that write to them. */
const DETACHED = { detached: true };

/** Names everything that is missing in one message, each with the command that installs it. */
export async function startBackends({ stores }: PlatformOptions): Promise<Backends> {
  const gcs = stores === "firestore" ? await locateGcsEmulator() : undefined;
  const missing = [
    redisMissing(),
    stores === "firestore" ? firestoreEmulatorMissing() : undefined,
    stores === "postgres" ? postgresMissing() : undefined,
    gcs !== undefined && "missing" in gcs ? gcs.missing : undefined,
  ].filter((reason) => reason !== undefined);
  if (missing.length > 0) {
    const hint = stores === "sqlite" ? "" : "\nWithout them: npm run platform -- --stores=sqlite";
    throw new Error(`Something is not installed:\n  ${missing.join("\n  ")}${hint}`);
  }

  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await RedisServer.start([], DETACHED));
  const pids = [redis.pid];
  const processes = [`redis ${redis.pid} (${redis.url})`];
  let settings: Record<string, string> = { REDIS_URL: redis.url };
  if (stores === "postgres") {
    const postgres = stack.use(await PostgresServer.start(DETACHED));
    pids.push(postgres.pid);
    processes.push(`postgres ${postgres.pid} (${postgres.url()})`);
    settings = { ...settings, DATABASE_URL: postgres.url() };
  }
  if (gcs !== undefined && "program" in gcs) {
    const [firestore, storage] = await Promise.all([
      startFirestoreEmulator(DETACHED),
      GcsEmulator.start(gcs.program, DETACHED),
    ]);
    stack.use(firestore);
    stack.use(storage);
    pids.push(firestore.pid, storage.pid);
    processes.push(`firestore ${firestore.pid} (${firestore.host})`, `storage ${storage.pid} (${storage.url})`);
    settings = {
      ...settings,
      FIRESTORE_PROJECT_ID: "fairlead",
      FIRESTORE_EMULATOR_HOST: firestore.host,
      GCS_BUCKET: await storage.createBucket(),
      STORAGE_EMULATOR_HOST: storage.url,
    };
  }
  const owned = stack.move();
  let isDisposed = false;
  return {
    processes,
    settings,
    kill: () => {
      if (!isDisposed) for (const pid of pids) if (pid !== undefined) process.kill(pid, "SIGKILL");
    },
    [Symbol.asyncDispose]: async () => {
      await owned.disposeAsync();
      isDisposed = true;
    },
  };
}
