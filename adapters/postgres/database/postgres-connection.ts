import { readFile } from "node:fs/promises";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** How connections are made. */
export interface PostgresConnection {
  /** `postgresql://user:password@host:port/database?sslmode=verify-full`. */
  readonly url: string;
  /** A file with the password in place of the one in the URL. Each new connection reads it, so it may change. */
  readonly passwordFile?: string | undefined;
  /** A file with the certificates of the authorities that sign the server's certificate. */
  readonly caFile?: string | undefined;
}

/** Settings of one connection, in the words of the package `pg`. */
export interface ConnectionSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly database: string | undefined;
  readonly password: (() => Promise<string>) | string | undefined;
  readonly ssl: false | TlsSettings;
}

interface TlsSettings {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly checkServerIdentity?: () => undefined;
}

const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];
const PARAMETERS: ReadonlySet<string> = new Set(["sslmode", "host", "application_name"]);
const DEFAULT_PORT = 5432;

/** Reads the URL and the CA file. Throws `CONFIGURATION`; no message contains the URL, which has a password. */
export async function connectionSettings(
  { url, passwordFile, caFile }: PostgresConnection,
  name: string,
): Promise<ConnectionSettings> {
  const parsed = parse(url, name);
  for (const parameter of parsed.searchParams.keys()) {
    if (!PARAMETERS.has(parameter))
      throw invalid(name, `has the parameter ${parameter}, and only ${[...PARAMETERS].join(", ")} are known`);
  }
  const mode = parsed.searchParams.get("sslmode") ?? (caFile === undefined ? "disable" : "verify-full");
  if (!isSslMode(mode)) throw invalid(name, `needs sslmode ${SSL_MODES.join(", ")}`);
  const database = decodeURIComponent(parsed.pathname.slice(1));
  return {
    host: parsed.searchParams.get("host") ?? parsed.hostname.replace(/^\[|\]$/g, ""),
    port: parsed.port === "" ? DEFAULT_PORT : Number(parsed.port),
    user: parsed.username === "" ? undefined : decodeURIComponent(parsed.username),
    database: database === "" ? undefined : database,
    password: passwordOf(parsed, passwordFile),
    ssl: await tlsOf(mode, caFile),
  };
}

function parse(url: string, name: string): URL {
  try {
    const parsed = new URL(url);
    if (parsed.protocol === "postgresql:" || parsed.protocol === "postgres:") return parsed;
  } catch {
    // Reported below: the cause would contain the password.
  }
  throw invalid(name, "must be postgresql://user@host:port/database");
}

function passwordOf({ password }: URL, passwordFile: string | undefined): ConnectionSettings["password"] {
  if (passwordFile !== undefined) return async () => (await readFile(passwordFile, "utf8")).replace(/\r?\n$/, "");
  return password === "" ? undefined : decodeURIComponent(password);
}

/** Follows libpq: `require` encrypts and trusts any server, `verify-ca` does not compare the server's name. */
async function tlsOf(mode: SslMode, caFile: string | undefined): Promise<ConnectionSettings["ssl"]> {
  if (mode === "disable") return false;
  const authorities = caFile === undefined ? {} : { ca: await readAuthorities(caFile) };
  if (mode === "require" && caFile === undefined) return { rejectUnauthorized: false };
  if (mode === "verify-full") return { rejectUnauthorized: true, ...authorities };
  return { rejectUnauthorized: true, ...authorities, checkServerIdentity: () => undefined };
}

async function readAuthorities(caFile: string): Promise<string> {
  try {
    return await readFile(caFile, "utf8");
  } catch (cause) {
    throw new PlatformError("CONFIGURATION", `The file with the database's authorities, ${caFile}, cannot be read.`, {
      cause,
    });
  }
}

function isSslMode(mode: string): mode is SslMode {
  return SSL_MODES.some((known) => known === mode);
}

function invalid(name: string, problem: string): PlatformError {
  return new PlatformError("CONFIGURATION", `${name} ${problem}.`);
}
