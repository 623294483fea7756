import { Redis } from "ioredis";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { findGcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

/** Returns why the platform cannot run on emulators here, and reports it; undefined if it can. */
export async function whyNoEmulators(): Promise<string | undefined> {
  const gcs = await findGcsEmulator();
  return whyNoRedis() ?? whyNoFirestore() ?? ("missing" in gcs ? gcs.missing : undefined);
}

interface ListedDocument {
  readonly name: string;
  readonly fields: Readonly<Record<string, { readonly stringValue?: string }>>;
}

/** `npm run platform` as users start it, with access to its stores. */
export class EmulatedPlatform implements AsyncDisposable {
  readonly url: string;
  readonly #process: CliProcess;

  private constructor(process: CliProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(...args: readonly string[]): Promise<EmulatedPlatform> {
    const process = new CliProcess(["--port=0", ...args], { script: "deploy/run-platform.ts" });
    try {
      const [, url = ""] = await process.until(/The platform is ready: (\S+)/);
      return new EmulatedPlatform(process, url);
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The process of a service or a store, as it was started first. */
  pidOf(name: string): number {
    return Number(this.#printed(name)[1]);
  }

  /** Resolves when the output has the pattern. */
  async until(pattern: RegExp): Promise<void> {
    await this.#process.until(pattern);
  }

  /** The JSON of the session's events in the documents. */
  async storedEvents(appName: string, userId: string, sessionId: string): Promise<readonly string[]> {
    const path = `fairlead/${appName}/users/${userId}/sessions/${sessionId}/user-event`;
    const base = `http://${this.#printed("firestore")[2]}/v1/projects/fairlead/databases/(default)/documents`;
    const response = await fetch(`${base}/${path}`, { headers: { authorization: "Bearer owner" } });
    // The form of the emulator's listing.
    const { documents = [] } = (await response.json()) as { readonly documents?: readonly ListedDocument[] };
    return documents.map(({ fields }) => fields["json"]?.stringValue ?? "");
  }

  async objectNames(): Promise<readonly string[]> {
    const response = await fetch(`${this.#printed("storage")[2]}/storage/v1/b/bucket-1/o`);
    // The form of the emulator's listing.
    const { items = [] } = (await response.json()) as { readonly items?: readonly { readonly name: string }[] };
    return items.map(({ name }) => name);
  }

  /** Redis' entries of all runs' streams, whose keys are random, as one text. */
  async streamedText(): Promise<string> {
    const redis = new Redis(this.#printed("redis")[2] ?? "");
    try {
      const logs = await redis.keys("fairlead:{*}:log");
      return JSON.stringify(await Promise.all(logs.map((log) => redis.xrange(log, "-", "+"))));
    } finally {
      redis.disconnect();
    }
  }

  /** Asks it to end, as Ctrl-C does. */
  async end(): Promise<number | null> {
    return this.#process.end("SIGINT");
  }

  /** In good order even after a failure: if killed, it could not end the processes that it started. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.child.exitCode === null) await this.end();
    await this.#process[Symbol.asyncDispose]();
  }

  #printed(name: string): RegExpExecArray {
    const found = new RegExp(`^ {2}${name} (\\d+) \\(([^)]+)\\)`, "m").exec(this.#process.output);
    if (found === null) throw new Error(`The platform does not report ${name}: ${this.#process.output}`);
    return found;
  }
}
