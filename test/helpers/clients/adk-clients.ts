import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { skipFor } from "#tooling/missing-tool.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CACHE = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fairlead-tools");
const JS_CLIENT = join(CACHE, "adk-devtools-2.0.0");
const GOOGLE_ADK = "google-adk==2.13.0";
const PYTHON = join(CACHE, GOOGLE_ADK);
/** Packages that its databases need in addition. */
const PYTHON_DATABASES = ["sqlalchemy[asyncio]>=2,<3", "asyncpg"];
const NPM_ADK = join(CACHE, "adk-npm-2.0.0");
const NPM_PACKAGES = ["@google/adk@2.0.0", "@mikro-orm/sqlite@6.6.6"];
const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** What the tests use of `AdkApiClient`. */
export interface AdkApiClient {
  listApps(): Promise<readonly string[]>;
  createSession(session: Named): Promise<WireSession>;
  getSession(session: Named): Promise<WireSession>;
  listSessions(owner: Named): Promise<readonly WireSession[]>;
  listAllSessions(user: Pick<Named, "userId">): Promise<readonly WireSession[]>;
  deleteSession(session: Named): Promise<void>;
  runAsync(run: Named & { readonly newMessage: unknown; readonly streaming?: boolean }): AsyncGenerator<ClientEvent>;
  listArtifacts(session: Named): Promise<unknown>;
  loadArtifact(artifact: NamedArtifact & { readonly version?: number }): Promise<unknown>;
  listArtifactVersions(artifact: NamedArtifact): Promise<unknown>;
  deleteArtifact(artifact: NamedArtifact): Promise<void>;
}

export interface Named {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId?: string;
}

interface NamedArtifact extends Named {
  readonly artifactName: string;
}

export interface WireSession {
  readonly id: string;
  readonly events: readonly ClientEvent[];
}

/** The fields of an event that the tests use. */
export interface ClientEvent {
  readonly id: string;
  readonly partial?: boolean;
  readonly errorCode?: string;
  readonly longRunningToolIds?: readonly string[];
  readonly content?: { readonly parts?: readonly ClientPart[] };
}

interface ClientPart {
  readonly text?: string;
  readonly functionCall?: { readonly id: string; readonly name: string };
  readonly functionResponse?: { readonly name: string; readonly response?: unknown };
}

/**
 * Google's JavaScript client, from the package of the developer UI; undefined, with the reason printed, if it is not
 * available.
 */
export async function findJavaScriptClient(): Promise<
  (new (config: { backendUrl: string }) => AdkApiClient) | undefined
> {
  const file = join(JS_CLIENT, "adk_api_client.js");
  const failure = existsSync(file) ? undefined : await installing(installJavaScriptClient, file);
  if (failure !== undefined) return missing("Google's JavaScript client", failure);
  await linkGenAi();
  // The package's own declarations need packages that are not installed.
  const loaded = (await import(pathToFileURL(file).href)) as {
    AdkApiClient: new (config: { backendUrl: string }) => AdkApiClient;
  };
  return loaded.AdkApiClient;
}

/** The python program of an environment with google-adk; undefined, with the reason printed, if it is not available. */
export async function findPythonWithAdk(): Promise<string | undefined> {
  const python = join(PYTHON, "bin/python");
  const failure = existsSync(python) ? undefined : await installing(installGoogleAdk, python);
  return failure === undefined ? python : missing("google-adk for Python", failure);
}

/** The same with the packages of its databases. */
export async function findPythonWithAdkDatabases(): Promise<string | undefined> {
  const python = await findPythonWithAdk();
  if (python === undefined) return undefined;
  const found = await run(python, ["-c", "import sqlalchemy, asyncpg"]).catch(() => undefined);
  return found === undefined ? missing("google-adk's databases", "sqlalchemy or asyncpg is not installed") : python;
}

/** A folder with ADK for JavaScript and its driver of SQLite; undefined, with the reason printed, if it is not available. */
export async function findNpmAdk(): Promise<string | undefined> {
  const file = join(NPM_ADK, "node_modules/@mikro-orm/sqlite/package.json");
  const failure = existsSync(file) ? undefined : await installing(installNpmAdk, file);
  return failure === undefined ? NPM_ADK : missing("@google/adk with a database", failure);
}

async function installNpmAdk(): Promise<void> {
  await mkdir(NPM_ADK, { recursive: true });
  await run("npm", ["install", "--no-save", "--prefix", NPM_ADK, ...NPM_PACKAGES], { timeout: INSTALL_TIMEOUT_MS });
}

async function installJavaScriptClient(): Promise<void> {
  const installer = join(ROOT, "deploy/install-dev-ui.mjs");
  await run(process.execPath, [installer, "--part", "dist/esm/server", "--dir", JS_CLIENT], {
    timeout: INSTALL_TIMEOUT_MS,
  });
}

/** The client imports this package, which is a dependency here. The target of an earlier link may be deleted. */
async function linkGenAi(): Promise<void> {
  const link = join(JS_CLIENT, "node_modules/@google/genai");
  if (existsSync(link)) return;
  await mkdir(join(link, ".."), { recursive: true });
  await rm(link, { force: true });
  await symlink(join(ROOT, "node_modules/@google/genai"), link);
}

async function installGoogleAdk(): Promise<void> {
  const folder = await mkdtemp(join(CACHE, "google-adk-"));
  try {
    await run("python3", ["-m", "venv", folder], { timeout: INSTALL_TIMEOUT_MS });
    const packages = [GOOGLE_ADK, ...PYTHON_DATABASES];
    await run(join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", ...packages], {
      timeout: INSTALL_TIMEOUT_MS,
    });
    await rename(folder, PYTHON);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Why it is not available. */
async function installing(install: () => Promise<void>, file: string): Promise<string | undefined> {
  if (!process.env["INSTALL_TEST_TOOLS"]) return "it is not installed; run the tests with INSTALL_TEST_TOOLS=1";
  await mkdir(CACHE, { recursive: true });
  try {
    await install();
    return undefined;
  } catch (error) {
    // Another test file may have installed it in the meantime.
    if (existsSync(file)) return undefined;
    return `it cannot be installed: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`;
  }
}

function missing(subject: string, reason: string): undefined {
  skipFor(subject, reason);
  return undefined;
}
