import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import { firstExecutable, pathFolders, toolsFolder } from "./find-program.ts";

const PROGRAM = "fake-gcs-server";
const MODULE = "github.com/fsouza/fake-gcs-server@v1.56.1";
/** Compiling it takes a minute or two on a small machine. */
const INSTALL_TIMEOUT_MS = 8 * 60_000;

export interface SeededObject {
  readonly body: string;
  readonly contentType: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A Cloud Storage emulator on loopback that keeps everything in memory. */
export class GcsEmulator implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #buckets = 0;

  constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    this.#ended = once(child, "exit");
  }

  static async start(program: string, options: { readonly detached?: boolean } = {}): Promise<GcsEmulator> {
    const address = `127.0.0.1:${await freePort()}`;
    const url = `http://${address}`;
    const flags = { scheme: "http", backend: "memory", host: "127.0.0.1", "public-host": address, "external-url": url };
    const args = Object.entries(flags).flatMap(([flag, value]) => [`-${flag}`, value]);
    const child = spawn(program, [...args, "-port", address.split(":")[1] ?? ""], {
      ...options,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const emulator = new GcsEmulator(url, child);
    await untilStarted(child);
    return emulator;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Creates an empty bucket and returns its name. */
  async createBucket(): Promise<string> {
    this.#buckets += 1;
    const name = `bucket-${this.#buckets}`;
    const response = await fetch(`${this.url}/storage/v1/b`, { method: "POST", body: JSON.stringify({ name }) });
    if (!response.ok) throw new Error(`No bucket: ${await response.text()}`);
    return name;
  }

  /** The objects in the bucket by name, without the fields that differ from run to run. */
  async objects(bucket: string): Promise<readonly { readonly name: string }[]> {
    const response = await fetch(`${this.url}/storage/v1/b/${bucket}/o`);
    // The form of the listing.
    const { items = [] } = (await response.json()) as { items?: { name: string; [member: string]: unknown }[] };
    return items.map(({ name, size, contentType, metadata }) => ({
      name,
      size,
      contentType,
      ...(metadata !== undefined && { metadata }),
    }));
  }

  /** Stores an object as another program would. */
  async seed(bucket: string, name: string, object: SeededObject): Promise<void> {
    const { body, ...resource } = object;
    const form = [`--b\r\ncontent-type: application/json\r\n\r\n${JSON.stringify({ name, ...resource })}`];
    form.push(`--b\r\ncontent-type: ${resource.contentType}\r\n\r\n${body}`, "--b--\r\n");
    const response = await fetch(`${this.url}/upload/storage/v1/b/${bucket}/o?uploadType=multipart`, {
      method: "POST",
      headers: { "content-type": "multipart/related; boundary=b" },
      body: form.join("\r\n"),
    });
    if (!response.ok) throw new Error(`No object: ${await response.text()}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** The path of the emulator's program, or how to get it. */
export async function locateGcsEmulator(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const found = await installedProgram();
  if (found !== undefined) return { program: found };
  return { missing: `there is no ${PROGRAM} (GOBIN=${toolsFolder()} go install ${MODULE}).` };
}

/** Returns the emulator's program, installed with Go if INSTALL_TEST_TOOLS is set, or why there is none. */
export async function findGcsEmulator(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const cache = toolsFolder();
  const found = await installedProgram();
  if (found !== undefined) return { program: found };
  const go = await firstExecutable("go", [...pathFolders(), "/usr/local/go/bin"]);
  if (go === undefined) return missing(`neither ${PROGRAM} nor go is installed`);
  if (!process.env["INSTALL_TEST_TOOLS"]) {
    return missing(`${PROGRAM} is not installed; run the tests with INSTALL_TEST_TOOLS=1, or: go install ${MODULE}`);
  }
  try {
    return { program: await install(go, cache) };
  } catch (error) {
    return missing(`go install ${MODULE} failed: ${String(error).slice(0, 300)}`);
  }
}

function installedProgram(): Promise<string | undefined> {
  const goPath = process.env["GOPATH"] || join(homedir(), "go");
  return firstExecutable(PROGRAM, [...pathFolders(), process.env["GOBIN"], toolsFolder(), join(goPath, "bin")]);
}

function missing(reason: string): { readonly missing: string } {
  skipFor("Cloud Storage", reason);
  return { missing: reason };
}

/** Installs into a temporary folder first, so that no other process finds an incomplete program. */
async function install(go: string, cache: string): Promise<string> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "install-"));
  try {
    const env = { ...process.env, GOBIN: folder };
    await promisify(execFile)(go, ["install", MODULE], { env, timeout: INSTALL_TIMEOUT_MS });
    await rename(join(folder, PROGRAM), join(cache, PROGRAM));
    return join(cache, PROGRAM);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function untilStarted(child: ChildProcess): Promise<void> {
  let output = "";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once("error", reject);
  child.once("exit", () => reject(new Error(`${PROGRAM} has ended: ${output}`)));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (output.includes("server started")) resolve();
    // Its log of requests is not used, but has to be read so that its writes do not block.
    output = output.slice(-2000);
  });
  await promise;
}
