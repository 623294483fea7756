import { PlatformError } from "#kit/errors/platform-error.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { type MeteredAmounts, NOTHING_METERED, sumOf } from "#ports/storage-limits/metered-amounts.ts";
import { NO_GENERATION, type ObjectBucket } from "./object-bucket.ts";

export interface StorageCounterOptions {
  readonly objects: ObjectBucket;
  readonly ids: IdGenerator;
  /** The object's name. */
  readonly path: string;
  /** Counts what is stored, for an object that does not exist. */
  readonly count: () => Promise<MeteredAmounts>;
}

/** The content of the object. */
interface Content extends MeteredAmounts {
  /** Ids of the last writes, by which a write whose answer was lost is recognised. */
  readonly writes: readonly string[];
}

interface Known {
  readonly content: Content;
  readonly generation: string;
}

/** A change that waits for the next write. */
interface Waiting {
  readonly change: MeteredAmounts;
  /** Throws if there is no room for the sum. */
  readonly assertRoom: ((after: MeteredAmounts) => void) | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Conflicts with other processes before a change fails. */
const MAX_ATTEMPTS = 30;
const MAX_KNOWN_WRITES = 64;

/**
 * One count in a bucket. All changes that wait while the object is being written share its next write, because the service
 * accepts about one write a second to one object.
 */
export class StorageCounter {
  readonly #options: StorageCounterOptions;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(options: StorageCounterOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return !this.#isWriting;
  }

  add(change: MeteredAmounts, assertRoom: (after: MeteredAmounts) => void): Promise<void> {
    return this.#enqueue(change, assertRoom);
  }

  /** Adds to a count that exists. Never fails: a count that cannot be changed stays as it is. */
  async release(change: MeteredAmounts): Promise<void> {
    await this.#enqueue(change, undefined).catch(() => {});
  }

  async read(): Promise<MeteredAmounts> {
    const known = await this.#readObject();
    const { items, bytes } = known?.content ?? (await this.#options.count());
    return { items, bytes };
  }

  async #enqueue(change: MeteredAmounts, assertRoom: Waiting["assertRoom"]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ change, assertRoom, resolve, reject });
    if (!this.#isWriting) void this.#writeAll();
    await promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#writeBatch(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const id = this.#options.ids.next();
    let refused: ReadonlyMap<Waiting, unknown> = new Map();
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const known = await this.#readObject();
      // The answer of the last attempt was lost.
      if (known?.content.writes.includes(id)) return settle(batch, refused);
      // Released objects are deleted already, so a new count does not include them.
      const adding = known === undefined ? batch.filter(({ assertRoom }) => assertRoom !== undefined) : batch;
      if (adding.length === 0) return settle(batch, refused);
      const before: Content = known?.content ?? { ...(await this.#options.count()), writes: [] };
      const change = changed(before, adding);
      ({ refused } = change);
      if (known !== undefined && refused.size === adding.length) return settle(batch, refused);
      const content = { ...change.after, writes: [...before.writes, id].slice(-MAX_KNOWN_WRITES) };
      if (await this.#writeObject(content, known?.generation ?? NO_GENERATION)) return settle(batch, refused);
    }
    throw new PlatformError("STORE_UNAVAILABLE", "Too many concurrent writers changed a count of storage. Try again.");
  }

  async #readObject(): Promise<Known | undefined> {
    const { objects, path } = this.#options;
    for (;;) {
      const resource = await objects.resource(path);
      if (resource === undefined) return undefined;
      const bytes = await objects.download(path);
      // A write between the two requests is seen by the generation afterwards.
      const { generation } = (await objects.resource(path)) ?? {};
      if (bytes === undefined || generation !== resource.generation) continue;
      // Only this class writes the object.
      return { content: JSON.parse(Buffer.from(bytes).toString("utf8")) as Content, generation: resource.generation };
    }
  }

  #writeObject(content: Content, generation: string): Promise<boolean> {
    const { objects, path } = this.#options;
    const attributes = { contentType: "application/json", metadata: {} };
    return objects.write({ name: path, bytes: Buffer.from(JSON.stringify(content)), attributes, generation });
  }
}

function changed(before: MeteredAmounts, batch: readonly Waiting[]) {
  let after: MeteredAmounts = { items: before.items, bytes: before.bytes };
  const refused = new Map<Waiting, unknown>();
  for (const waiting of batch) {
    const sum = sumOf(after, waiting.change);
    try {
      waiting.assertRoom?.(sum);
      after = { items: Math.max(sum.items, NOTHING_METERED.items), bytes: Math.max(sum.bytes, NOTHING_METERED.bytes) };
    } catch (error) {
      refused.set(waiting, error);
    }
  }
  return { after, refused };
}

function settle(batch: readonly Waiting[], refused: ReadonlyMap<Waiting, unknown>): void {
  for (const waiting of batch) {
    if (refused.has(waiting)) waiting.reject(refused.get(waiting));
    else waiting.resolve();
  }
}
