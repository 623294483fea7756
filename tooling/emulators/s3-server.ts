import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import { firstExecutable, pathFolders, toolsFolder } from "./find-program.ts";

const PROGRAM = "moto_server";
const PACKAGE = "moto[server]==5.2.5";
const INSTALL_TIMEOUT_MS = 5 * 60_000;
const MAX_START_MS = 60_000;
/** The server checks no keys, but a client does not send a request without any. */
const CREDENTIALS = { accessKeyId: "test", secretAccessKey: "test" };

/** A server of the S3 protocol on loopback that keeps everything in memory. It honours the conditions of writes. */
export class S3Server implements AsyncDisposable {
  readonly url: string;
  readonly region = "us-east-1";
  readonly credentials = CREDENTIALS;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #buckets = 0;

  constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    this.#ended = once(child, "exit");
  }

  static async start(program: string, options: { readonly detached?: boolean } = {}): Promise<S3Server> {
    const port = await freePort();
    const child = spawn(program, ["-H", "127.0.0.1", "-p", String(port)], { ...options, stdio: "ignore" });
    const server = new S3Server(`http://127.0.0.1:${port}`, child);
    const giveUp = performance.now() + MAX_START_MS;
    while (!(await isReady(server.url))) {
      if (child.exitCode !== null || performance.now() > giveUp) throw new Error(`${PROGRAM} did not start.`);
      await setTimeout(20);
    }
    return server;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Creates an empty bucket and returns its name. */
  async createBucket(name = `bucket-${(this.#buckets += 1)}`): Promise<string> {
    await this.#send("PUT", name);
    return name;
  }

  /** The names of the objects in the bucket, at most 1,000. */
  async names(bucket: string): Promise<readonly string[]> {
    const listing = await (await this.#send("GET", `${bucket}?list-type=2`)).text();
    return [...listing.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name]) => name ?? "");
  }

  /** The answer to a request for an object: its body, and what the server knows of it in headers. */
  object(bucket: string, name: string): Promise<Response> {
    return this.#send("GET", `${bucket}/${encodeURIComponent(name)}`);
  }

  /** Stores an object as another program would. */
  async seed(bucket: string, name: string, body: string): Promise<void> {
    await this.#send("PUT", `${bucket}/${encodeURIComponent(name)}`, body);
  }

  async remove(bucket: string, name: string): Promise<void> {
    await this.#send("DELETE", `${bucket}/${encodeURIComponent(name)}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #send(method: string, path: string, body?: string): Promise<Response> {
    // The server tells the service by the signature's scope.
    const scope = `${CREDENTIALS.accessKeyId}/20260101/${this.region}/s3/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
    const response = await fetch(`${this.url}/${path}`, {
      method,
      headers: { authorization },
      ...(body !== undefined && { body }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}

/** Calls `locateS3Server`, and reports why tests are skipped. */
export async function findS3Server(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const found = await locateS3Server();
  if ("missing" in found) skipFor("S3", found.missing);
  return found;
}

/** Returns the server's program, installed with Python if INSTALL_TEST_TOOLS is set, or why there is none. */
export async function locateS3Server(): Promise<{ readonly program: string } | { readonly missing: string }> {
  const folder = join(toolsFolder(), "moto");
  const found = await firstExecutable(PROGRAM, [...pathFolders(), join(folder, "bin")]);
  if (found !== undefined) return { program: found };
  const python = await firstExecutable("python3", pathFolders());
  if (python === undefined) return missing(`neither ${PROGRAM} nor python3 is installed`);
  if (!process.env["INSTALL_TEST_TOOLS"])
    return missing(`${PROGRAM} is not installed; INSTALL_TEST_TOOLS=1 installs it, or: pip install '${PACKAGE}'`);
  try {
    return { program: await install(python, folder) };
  } catch (error) {
    return missing(`pip install '${PACKAGE}' failed: ${String(error).slice(0, 300)}`);
  }
}

function missing(reason: string): { readonly missing: string } {
  return { missing: reason };
}

/** Links to the program last, so that no other process finds an incomplete installation. */
async function install(python: string, folder: string): Promise<string> {
  const run = promisify(execFile);
  const version = `${folder}-${process.pid}`;
  await mkdir(toolsFolder(), { recursive: true });
  try {
    // A virtual environment contains its own address, so its parts cannot be moved: it is moved as a link.
    await run(python, ["-m", "venv", version], { timeout: INSTALL_TIMEOUT_MS });
    await run(join(version, "bin", "pip"), ["install", "--quiet", PACKAGE], { timeout: INSTALL_TIMEOUT_MS });
    await symlink(version, `${version}.link`);
    await rename(`${version}.link`, folder);
  } catch (error) {
    await rm(version, { recursive: true, force: true });
    throw error;
  }
  return join(folder, "bin", PROGRAM);
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/moto-api/data.json`)).ok;
  } catch {
    return false;
  }
}
