import { channel } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";
import { App, FunctionTool, LlmAgent } from "fairlead/kit";
import { createServer } from "fairlead/server";
import { type Command, Redis } from "ioredis";
import { vi } from "vitest";
import { FirestoreSessionStore } from "#adapters/firestore/sessions/firestore-session-store.ts";
import { createGcsArtifactService } from "#adapters/gcs/create-gcs-artifact-service.ts";
import { openRedisRunTransport } from "#adapters/redis/redis-run-transport.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { startFirestoreEmulator } from "#tooling/emulators/firestore-emulator.ts";
import { GcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { RedisServer } from "#tooling/emulators/redis-server.ts";
import { CloudUser } from "./cloud-user.ts";
import { CountedDatabase } from "./counted-database.ts";
import type { Operations } from "./operations.ts";
import { OrderModel } from "./order-model.ts";

/** A lease that needs no renewal during a test, and no scan for lost runs. */
const LEASE_MS = 600_000;

/** The server with all stores of the cloud, on emulators, which counts their operations. */
export class CloudWorld implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #url: string;
  readonly #counts: Record<keyof Operations, number>;
  readonly #settled: () => Promise<void>;
  #users = 0;

  private constructor(
    stack: AsyncDisposableStack,
    url: string,
    counts: Record<keyof Operations, number>,
    settled: () => Promise<void>,
  ) {
    this.#stack = stack;
    this.#url = url;
    this.#counts = counts;
    this.#settled = settled;
  }

  static async start(gcsProgram: string): Promise<CloudWorld> {
    await using stack = new AsyncDisposableStack();
    const counts = { reads: 0, writes: 0, deletes: 0, classA: 0, classB: 0, commands: 0, bytes: 0 };
    const redis = stack.use(await RedisServer.start());
    const firestore = stack.use(await startFirestoreEmulator());
    const bucket = stack.use(await GcsEmulator.start(gcsProgram));
    const settled = stack.adopt(countCommands(counts), ({ restore }) => restore()).settled;
    stack.defer(countRequests(bucket.url, counts));
    const database = new CountedDatabase({ projectId: "operations", emulatorHost: firestore.host, counts });
    const sources = { clock: systemClock, ids: new UuidV7Generator() };
    const sessions = new FirestoreSessionStore({ database, ...sources });
    const server = stack.use(
      await createServer({
        agents: [createApp("cloud", settled), createApp("compacting", settled)],
        stores: {
          sessionService: sessions,
          runJournal: sessions,
          artifactService: createGcsArtifactService({
            bucketName: await bucket.createBucket(),
            apiEndpoint: bucket.url,
            ...sources,
          }),
          [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
        },
        runStream: await openRedisRunTransport({ url: redis.url }),
        config: { LEASE_MS },
      }),
    );
    const url = await server.listen({ port: 0 });
    return new CloudWorld(stack.move(), url, counts, settled);
  }

  /** What the stores have to do for the request. */
  async count(request: () => Promise<unknown>): Promise<Operations> {
    await this.#settled();
    for (const name of Object.keys(this.#counts)) this.#counts[name as keyof Operations] = 0;
    await request();
    await this.#settled();
    return { ...this.#counts };
  }

  newUser(app: "cloud" | "compacting"): CloudUser {
    this.#users += 1;
    return new CloudUser(this.#url, `user-${this.#users}`, app);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

function createApp(name: string, settled: () => Promise<void>): App {
  const tools = [
    new FunctionTool({ name: "look", description: "Looks.", execute: () => ({ seen: true }) }),
    new FunctionTool({
      name: "keep",
      description: "Saves a file and loads it.",
      execute: async (_, context) => {
        await context.saveArtifact("note.txt", { text: "a note" });
        return { kept: (await context.loadArtifact("note.txt")) !== undefined };
      },
    }),
    new FunctionTool({ name: "pay", description: "Pays.", requireConfirmation: true, execute: () => ({ paid: true }) }),
  ];
  const rootAgent = new LlmAgent({ name, model: new OrderModel(settled), tools });
  const eventsCompaction = { compactionInterval: 2, overlapSize: 0 };
  return new App({ name, rootAgent, ...(name === "compacting" && { eventsCompaction }) });
}

/** Counts the commands of all connections to Redis. `settled` resolves when none is in progress. */
function countCommands(counts: Record<"commands" | "bytes", number>) {
  let active = 0;
  const send = Redis.prototype.sendCommand;
  const spy = vi.spyOn(Redis.prototype, "sendCommand").mockImplementation(function (this: Redis, command, stream) {
    // The type of the parameter is a subset of the class that the client passes.
    const { promise, args, name } = command as Command;
    counts.commands += 1;
    counts.bytes += [name, ...args].reduce<number>((sum, word) => sum + Buffer.byteLength(String(word)), 0);
    active += 1;
    const end = (): void => void (active -= 1);
    promise.then(end, end);
    return send.call(this, command, stream);
  });
  const settled = async (): Promise<void> => {
    do {
      // What an event causes is sent at the end of the turn of the event loop in which it was emitted, or of the next.
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    } while (active > 0);
  };
  return { settled, restore: () => spy.mockRestore() };
}

/** Counts the requests to Cloud Storage, by the classes in which they are billed; deletes are free. */
function countRequests(url: string, counts: Record<"classA" | "classB", number>): () => void {
  const { host } = new URL(url);
  const add = (method: string, path: string): void => {
    if (method === "GET" && /\/o\/[^?]/.test(path)) counts.classB += 1;
    else if (method !== "DELETE") counts.classA += 1;
  };
  const onFetch = (message: unknown): void => {
    // The message of Node's own fetch.
    const { request } = message as { readonly request: { readonly origin: string; method: string; path: string } };
    if (request.origin === url) add(request.method, request.path);
  };
  const onRequest = (message: unknown): void => {
    // The message of node:http.
    const { request } = message as {
      readonly request: { getHeader(name: string): unknown; method: string; path: string };
    };
    if (request.getHeader("host") === host) add(request.method, request.path);
  };
  const channels = [
    [channel("undici:request:create"), onFetch],
    [channel("http.client.request.start"), onRequest],
  ] as const;
  for (const [each, listener] of channels) each.subscribe(listener);
  return () => {
    for (const [each, listener] of channels) each.unsubscribe(listener);
  };
}
