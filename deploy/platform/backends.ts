import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firestoreEmulatorMissing, startFirestoreEmulator } from "#tooling/emulators/firestore-emulator.ts";
import { GcsEmulator, locateGcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { postgresMissing } from "#tooling/emulators/postgres-programs.ts";
import { PostgresServer } from "#tooling/emulators/postgres-server.ts";
import { RedisServer, redisMissing } from "#tooling/emulators/redis-server.ts";
import { locateS3Server, S3Server } from "#tooling/emulators/s3-server.ts";
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
export async function startBackends({ stores, artifacts, transport }: PlatformOptions): Promise<Backends> {
  const gcs = artifacts === "gcs" ? await locateGcsEmulator() : undefined;
  const s3 = artifacts === "s3" ? await locateS3Server() : undefined;
  const needsPostgres = stores === "postgres" || transport === "postgres";
  const missing = [
    transport === "redis" ? redisMissing() : undefined,
    stores === "firestore" ? firestoreEmulatorMissing() : undefined,
    needsPostgres ? postgresMissing() : undefined,
    gcs !== undefined && "missing" in gcs ? gcs.missing : undefined,
    s3 !== undefined && "missing" in s3 ? s3.missing : undefined,
  ].filter((reason) => reason !== undefined);
  if (missing.length > 0) {
    const isLeast = stores === "sqlite" && artifacts === "files" && transport === "redis";
    const hint = isLeast ? "" : "\nWithout them: npm run platform -- --stores=sqlite";
    throw new Error(`Something is not installed:\n  ${missing.join("\n  ")}${hint}`);
  }

  await using stack = new AsyncDisposableStack();
  const started: StartedBackend[] = [];
  const add = async (starting: Promise<StartedBackend>): Promise<void> => {
    const backend = await starting;
    stack.use(backend.server);
    started.push(backend);
  };
  if (transport === "redis") await add(startRedis());
  if (needsPostgres) await add(startPostgres());
  if (stores === "firestore") await add(startFirestore());
  if (gcs !== undefined && "program" in gcs) await add(startStorage(gcs.program));
  if (s3 !== undefined && "program" in s3) await add(startS3(s3.program, stack));
  const owned = stack.move();
  let isDisposed = false;
  return {
    processes: started.map(({ name, server, address }) => `${name} ${server.pid} (${address})`),
    settings: Object.assign({}, ...started.map(({ settings }) => settings)),
    kill: () => {
      if (isDisposed) return;
      for (const { server } of started) if (server.pid !== undefined) process.kill(server.pid, "SIGKILL");
    },
    [Symbol.asyncDispose]: async () => {
      await owned.disposeAsync();
      isDisposed = true;
    },
  };
}

interface StartedBackend {
  readonly name: string;
  readonly server: AsyncDisposable & { readonly pid: number | undefined };
  readonly address: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function startRedis(): Promise<StartedBackend> {
  const server = await RedisServer.start([], DETACHED);
  return { name: "redis", server, address: server.url, settings: { REDIS_URL: server.url } };
}

async function startPostgres(): Promise<StartedBackend> {
  const server = await PostgresServer.start(DETACHED);
  return { name: "postgres", server, address: server.url(), settings: { DATABASE_URL: server.url() } };
}

async function startFirestore(): Promise<StartedBackend> {
  const server = await startFirestoreEmulator(DETACHED);
  const settings = { FIRESTORE_PROJECT_ID: "fairlead", FIRESTORE_EMULATOR_HOST: server.host };
  return { name: "firestore", server, address: server.host, settings };
}

async function startStorage(program: string): Promise<StartedBackend> {
  const server = await GcsEmulator.start(program, DETACHED);
  const settings = { GCS_BUCKET: await server.createBucket(), STORAGE_EMULATOR_HOST: server.url };
  return { name: "storage", server, address: server.url, settings };
}

async function startS3(program: string, stack: AsyncDisposableStack): Promise<StartedBackend> {
  const server = await S3Server.start(program, DETACHED);
  const folder = mkdtempSync(join(tmpdir(), "fairlead-s3-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [idFile, secretFile] = [join(folder, "id"), join(folder, "secret")];
  writeFileSync(idFile, server.credentials.accessKeyId);
  writeFileSync(secretFile, server.credentials.secretAccessKey);
  const settings = {
    S3_BUCKET: await server.createBucket(),
    S3_ENDPOINT: server.url,
    S3_REGION: server.region,
    S3_PATH_STYLE: "true",
    S3_ACCESS_KEY_ID_FILE: idFile,
    S3_SECRET_ACCESS_KEY_FILE: secretFile,
  };
  return { name: "s3", server, address: server.url, settings };
}
