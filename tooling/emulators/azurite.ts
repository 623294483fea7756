import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import { firstExecutable, pathFolders, toolsFolder } from "./find-program.ts";

const PROGRAM = "azurite-blob";
const PACKAGE = "azurite@3.37.0";
const INSTALL_TIMEOUT_MS = 5 * 60_000;
const MAX_START_MS = 60_000;
const ACCOUNT = "devstoreaccount1";
/** The emulator's published key, which every installation has. */
const ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/** Azure's own emulator of Blob Storage on loopback, which keeps everything in memory. */
export class Azurite implements AsyncDisposable {
  readonly url: string;
  readonly accountKey = ACCOUNT_KEY;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #containers = 0;

  constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    this.#ended = once(child, "exit");
  }

  static async start(program: string): Promise<Azurite> {
    const port = await freePort();
    const flags = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--disableTelemetry"];
    const child = spawn(program, ["--blobHost", "127.0.0.1", "--blobPort", String(port), ...flags], {
      stdio: "ignore",
    });
    const server = new Azurite(`http://127.0.0.1:${port}/${ACCOUNT}`, child);
    const giveUp = performance.now() + MAX_START_MS;
    while (!(await isReady(server.url))) {
      if (child.exitCode !== null || performance.now() > giveUp) throw new Error(`${PROGRAM} did not start.`);
      await setTimeout(20);
    }
    return server;
  }

  /** Creates an empty container and returns its URL. */
  async createContainer(): Promise<string> {
    this.#containers += 1;
    const container = this.container(`${this.url}/container-${this.#containers}`);
    await container.create();
    return container.url;
  }

  /** A client of the container, as another program would have it. */
  container(url: string): ContainerClient {
    return new ContainerClient(url, new StorageSharedKeyCredential(ACCOUNT, ACCOUNT_KEY));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Returns the emulator's program, installed from npm if INSTALL_TEST_TOOLS is set; reports why tests are skipped. */
export async function findAzurite(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const folder = join(toolsFolder(), "azurite");
  const found = await firstExecutable(PROGRAM, [...pathFolders(), join(folder, "node_modules", ".bin")]);
  if (found !== undefined) return { program: found };
  if (!process.env["INSTALL_TEST_TOOLS"])
    return missing(
      `${PROGRAM} is not installed; INSTALL_TEST_TOOLS=1 installs it, or: npm install --global ${PACKAGE}`,
    );
  try {
    return { program: await install(folder) };
  } catch (error) {
    return missing(`npm install ${PACKAGE} failed: ${String(error).slice(0, 300)}`);
  }
}

function missing(reason: string): { readonly missing: string } {
  skipFor("Azure", reason);
  return { missing: reason };
}

/** Moved to its place last, so that no other process finds an incomplete installation. */
async function install(folder: string): Promise<string> {
  const version = `${folder}-${process.pid}`;
  const program = join(folder, "node_modules", ".bin", PROGRAM);
  try {
    await mkdir(version, { recursive: true });
    const args = ["install", "--prefix", version, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE];
    await promisify(execFile)("npm", args, { timeout: INSTALL_TIMEOUT_MS });
    // If it fails, another process was faster.
    await rename(version, folder).catch(() => access(program, constants.X_OK));
    return program;
  } finally {
    await rm(version, { recursive: true, force: true });
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}
