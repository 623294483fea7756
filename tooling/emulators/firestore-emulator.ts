import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";

export interface FirestoreEmulator extends AsyncDisposable {
  /** Host and port in the form that clients take. */
  readonly host: string;
  readonly pid: number | undefined;
}

const JAVA = "java";
const JAR = join("platform", "cloud-firestore-emulator", "cloud-firestore-emulator.jar");
const SDK_ROOTS = ["/usr/lib/google-cloud-sdk", "/usr/share/google-cloud-sdk", "/opt/google-cloud-sdk"];
const MAIN_CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore";
const MAX_START_MS = 60_000;
const MAX_STOP_MS = 5_000;

/** Returns why no emulator can be started here and what installs it, or undefined if one can. */
export function firestoreEmulatorMissing(): string | undefined {
  if (run(JAVA, ["-version"]) === undefined) return "Java is missing (apt-get install default-jre-headless)";
  if (findJar() === undefined) {
    return "the Firestore emulator is missing (gcloud components install cloud-firestore-emulator)";
  }
  return undefined;
}

/** Returns why tests that need the emulator cannot run, and reports it; undefined if they can. Does not install it. */
export function whyNoFirestore(): string | undefined {
  const reason = firestoreEmulatorMissing();
  if (reason === undefined) return undefined;
  if (findJar() === undefined) process.stderr.write(`Firestore is not tested: ${reason}\n`);
  else skipFor("Firestore", reason);
  return reason;
}

/** A new, empty emulator on a free loopback port. Data of different project ids are separate. */
export async function startFirestoreEmulator(
  options: { readonly detached?: boolean } = {},
): Promise<FirestoreEmulator> {
  const jar = findJar();
  if (jar === undefined) throw new Error(`No Firestore emulator: ${firestoreEmulatorMissing()}.`);
  const port = await freePort();
  const args = ["-cp", jar, MAIN_CLASS, "start", "--host=127.0.0.1", `--port=${port}`];
  const child = spawn(JAVA, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  const stop = () => stopProcess(child);
  try {
    await waitUntilListening(child, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { host: `127.0.0.1:${port}`, pid: child.pid, [Symbol.asyncDispose]: stop };
}

async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
  let problem = "";
  let ended = false;
  child.stderr?.on("data", (chunk: Buffer) => {
    problem = (problem + chunk.toString("utf8")).slice(-2000);
  });
  child.once("error", (error) => {
    problem = error.message;
    ended = true;
  });
  child.once("exit", () => {
    ended = true;
  });
  const giveUp = performance.now() + MAX_START_MS;
  while (!(await accepts(port))) {
    if (ended || performance.now() > giveUp) throw new Error(`The Firestore emulator did not start. ${problem}`);
    await setTimeout(50);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const answer = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const impatience = new AbortController();
  await Promise.race([
    exited,
    setTimeout(MAX_STOP_MS, undefined, { signal: impatience.signal }).catch(() => undefined),
  ]);
  impatience.abort();
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  await exited;
}

let jar: { readonly path: string | undefined } | undefined;

function findJar(): string | undefined {
  jar ??= { path: locateJar() };
  return jar.path;
}

function locateJar(): string | undefined {
  const known = SDK_ROOTS.map((root) => join(root, JAR)).find(existsSync);
  if (known !== undefined) return known;
  const root = run("gcloud", ["info", "--format=value(installation.sdk_root)"])?.trim();
  if (root === undefined || root === "") return undefined;
  const file = join(root, JAR);
  return existsSync(file) ? file : undefined;
}

function run(command: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return undefined;
  }
}
