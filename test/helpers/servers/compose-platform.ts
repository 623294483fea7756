import { execFile, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ContainerEngine } from "#kit/code-executors/container-engine.ts";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";

export interface ComposeTools {
  readonly engine: ContainerEngine;
  /** The program that reads compose files, with its first arguments. */
  readonly compose: readonly [string, ...string[]];
  /** The image under test. */
  readonly image: string;
}

const FOLDER = fileURLToPath(new URL("../../..", import.meta.url));
const FILES = ["--file", "deploy/compose.yaml", "--file", "deploy/compose.debian.yaml"];
const BACKENDS = ["redis", "firestore", "storage"].map((name) => `localhost/fairlead-${name}:debian`);
const NETAVARK = ["/usr/lib/podman/netavark", "/usr/libexec/podman/netavark"];
const UP_TIMEOUT_MS = 180_000;
const DOWN_TIMEOUT_MS = 100_000;
const READY_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 30_000;

/**
 * If COMPOSE_TEST is set, what the test needs; or undefined, with the reason reported. COMPOSE_IMAGE names another
 * image.
 */
export function findComposeTools(environment: Readonly<Record<string, string | undefined>>): ComposeTools | undefined {
  if (!environment["COMPOSE_TEST"]) {
    process.stderr.write("deploy/compose.yaml is not tested: it takes minutes; COMPOSE_TEST=1 does it\n");
    return undefined;
  }
  const image = environment["COMPOSE_IMAGE"] || "localhost/fairlead:compose";
  const found = findCompose();
  if (found === undefined)
    return missing(
      "neither docker compose nor podman-compose works (apt-get install podman-compose netavark aardvark-dns catatonit).",
    );
  const absent = [image, ...BACKENDS].find((name) => !succeeds(found.engine, "image", "inspect", name));
  if (absent === undefined) return { ...found, image };
  return missing(
    `there is no image ${absent} (npm run image -- fairlead:compose && deploy/image/make-debian-backends).`,
  );
}

function findCompose(): Omit<ComposeTools, "image"> | undefined {
  if (succeeds("docker", "info") && succeeds("docker", "compose", "version"))
    return { engine: "docker", compose: ["docker", "compose"] };
  if (succeeds("podman", "info") && succeeds("podman-compose", "version"))
    return { engine: "podman", compose: ["podman-compose"] };
  return undefined;
}

function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

function missing(reason: string): undefined {
  skipFor("deploy/compose.yaml", reason);
  return undefined;
}

/** The platform of deploy/compose.yaml in containers, with its own name and port. */
export class ComposePlatform {
  readonly project = `fairlead-test-${process.pid}`;
  readonly #tools: ComposeTools;
  readonly #port: number;
  readonly #folder: string;
  #isDown = false;

  private constructor(tools: ComposeTools, port: number, folder: string) {
    this.#tools = tools;
    this.#port = port;
    this.#folder = folder;
  }

  static async up(tools: ComposeTools): Promise<ComposePlatform> {
    const folder = await mkdtemp(join(tmpdir(), "fairlead-compose-"));
    // Hosts may allow less than podman asks for by default, and only netavark's networks resolve names of containers.
    const backend = NETAVARK.some((path) => existsSync(path)) ? '[network]\nnetwork_backend = "netavark"\n' : "";
    const limits = '[containers]\ndefault_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]\n';
    await writeFile(join(folder, "containers.conf"), backend + limits);
    const platform = new ComposePlatform(tools, await freePort(), folder);
    try {
      await platform.#compose(["up", "--detach"], UP_TIMEOUT_MS);
      return platform;
    } catch (error) {
      await platform.down();
      throw error;
    }
  }

  /** Each container as its service and the first word of its status, in the order of their names. */
  containers(): readonly string[] {
    const format = "{{.Names}} {{.Status}}";
    const { status, stdout, stderr } = this.#run("ps", "--all", "--format", format, "--filter", `name=${this.project}`);
    if (status !== 0) throw new Error(stderr);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return lines.map((line) => line.replace(/^.*[-_]([a-z]+)[-_]1 (\w+).*$/, "$1 $2")).sort();
  }

  startedAt(service: string): string {
    return this.#run("inspect", "--format", "{{.State.StartedAt}} {{.State.Running}}", this.#container(service)).stdout;
  }

  /** Runs a program of Node in the container of a service. */
  exec(service: string, program: string): SpawnSyncReturns<string> {
    return this.#run("exec", this.#container(service), "node", "--eval", program);
  }

  async untilReady(): Promise<void> {
    const deadline = AbortSignal.timeout(READY_TIMEOUT_MS);
    while (
      !(await this.#fetch("/ready").then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      deadline.throwIfAborted();
      await setTimeout(200);
    }
  }

  /** The JSON of the answer, which has to be a success. */
  async call(path: string, body?: object): Promise<unknown> {
    const response = await this.#fetch(path, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** The names of containers and networks that are left at the end. */
  async down(): Promise<readonly string[]> {
    if (this.#isDown) return [];
    this.#isDown = true;
    await this.#compose(["down"], DOWN_TIMEOUT_MS);
    // Podman-compose of Debian leaves the network.
    this.#run("network", "rm", `${this.project}_default`);
    const networks = this.#run("network", "ls", "--format", "{{.Name}}");
    if (networks.status !== 0) throw new Error(networks.stderr);
    const left = networks.stdout.split("\n").filter((name) => name.startsWith(this.project));
    const all = [...this.containers(), ...left];
    await rm(this.#folder, { recursive: true, force: true });
    return all;
  }

  #fetch(path: string, body?: object): Promise<Response> {
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return fetch(`http://127.0.0.1:${this.#port}${path}`, { signal, ...(body !== undefined && post) });
  }

  #container(service: string): string {
    const separator = this.#tools.engine === "docker" ? "-" : "_";
    return [this.project, service, "1"].join(separator);
  }

  #run(...args: readonly string[]): SpawnSyncReturns<string> {
    return spawnSync(this.#tools.engine, args, { encoding: "utf8", env: this.#environment() });
  }

  #compose(args: readonly string[], timeout: number): Promise<unknown> {
    const [program, ...first] = this.#tools.compose;
    const all = [...first, "--project-name", this.project, ...FILES, ...args];
    return promisify(execFile)(program, all, { cwd: FOLDER, env: this.#environment(), timeout });
  }

  #environment(): NodeJS.ProcessEnv {
    const settings = { IMAGE: this.#tools.image, PORT: `${this.#port}` };
    return { ...process.env, ...settings, CONTAINERS_CONF: join(this.#folder, "containers.conf") };
  }
}
