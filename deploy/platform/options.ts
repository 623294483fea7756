import { parseArgs } from "node:util";

const STORES = ["firestore", "postgres", "sqlite"] as const;

export interface PlatformOptions {
  /** The stores: emulators of Google's, Postgres with artifacts in files, or files. */
  readonly stores: (typeof STORES)[number];
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
  const stores = STORES.find((known) => known === values.stores);
  if (stores === undefined) throw new Error(`--stores must be firestore, postgres or sqlite, not "${values.stores}".`);
  return {
    stores,
    replicas: parseNumber("--replicas", values.replicas, 1, 9),
    port: parseNumber("--port", values.port, 0, 65_535),
    agentsDir: values.agents,
    logLevel: values["log-level"],
    secured: !values.insecure,
    auth: values.auth,
    dataDir: values["data-dir"],
  };
}

function parseNumber(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
