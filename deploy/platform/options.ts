import { parseArgs } from "node:util";

const STORES = ["firestore", "postgres", "sqlite"] as const;
const ARTIFACTS = ["files", "gcs", "s3"] as const;
const TRANSPORTS = ["redis", "postgres"] as const;

export interface PlatformOptions {
  /** The stores of everything but artifacts: the emulator of Firestore, Postgres, or files. */
  readonly stores: (typeof STORES)[number];
  /** The store of artifacts: files, the emulator of Cloud Storage, or a server of S3. */
  readonly artifacts: (typeof ARTIFACTS)[number];
  /** Carries streams and counts between services. */
  readonly transport: (typeof TRANSPORTS)[number];
  /** Numbers of gateways, runners and session services. */
  readonly replicas: number;
  /** Port of the first gateway. */
  readonly port: number;
  readonly agentsDir: string;
  /** A temporary folder, removed with the platform, if absent. */
  readonly dataDir?: string;
  readonly logLevel: string;
  /** Whether services send each other tokens and signed principals. */
  readonly secured: boolean;
  /** Whether callers need an API key, or sign in with an identity provider for development. */
  readonly auth: boolean;
}

export const USAGE = `Starts the six services on this machine, and what they need.

  npm run platform -- [options]

  --stores=firestore|postgres|sqlite
                              emulators of Firestore and Cloud Storage (default), Postgres, or files
  --artifacts=files|gcs|s3    artifacts in files (default with postgres and sqlite), in the emulator of Cloud Storage
                              (default with firestore), or on a server of S3 in memory
  --transport=redis|postgres  streams and counts between services in Redis (default), or in Postgres without Redis
  --replicas=N                so many of gateway, runner and session (default 1)
  --port=N                    port of the gateway (default 8000)
  --agents=FOLDER             folder of agents (default agents)
  --data-dir=FOLDER           where files are kept (default: a new folder, removed at the end)
  --insecure                  services call each other without tokens and principals
  --auth                      callers sign in; prints a key
  --log-level=LEVEL           debug, info, warn (default) or error, of all services`;

/** Throws an error whose message is for users. */
export function parseOptions(args: readonly string[]): PlatformOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      stores: { type: "string", default: "firestore" },
      artifacts: { type: "string" },
      transport: { type: "string", default: "redis" },
      replicas: { type: "string", default: "1" },
      port: { type: "string", default: "8000" },
      agents: { type: "string", default: "agents" },
      "data-dir": { type: "string" },
      "log-level": { type: "string", default: "warn" },
      insecure: { type: "boolean", default: false },
      auth: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const stores = choose("--stores", STORES, values.stores);
  return {
    stores,
    artifacts: choose("--artifacts", ARTIFACTS, values.artifacts ?? (stores === "firestore" ? "gcs" : "files")),
    transport: choose("--transport", TRANSPORTS, values.transport),
    replicas: parseNumber("--replicas", values.replicas, 1, 9),
    port: parseNumber("--port", values.port, 0, 65_535),
    agentsDir: values.agents,
    logLevel: values["log-level"],
    secured: !values.insecure,
    auth: values.auth,
    dataDir: values["data-dir"],
  };
}

function choose<Choice extends string>(name: string, choices: readonly Choice[], text: string): Choice {
  const choice = choices.find((known) => known === text);
  if (choice !== undefined) return choice;
  throw new Error(`${name} must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}, not "${text}".`);
}

function parseNumber(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
