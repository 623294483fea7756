import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import {
  METERED_KINDS,
  METERED_LIMITS,
  type MeteredKind,
  SESSION_LIMIT_NAMES,
  type StorageCount,
  type StorageLimitName,
  type StorageReader,
} from "#ports/storage-limits/storage-limits.ts";

/** The stores that count what they keep. A store of a program's own that counts nothing is absent. */
export type StorageReaders = {
  readonly sessions?: StorageReader | undefined;
} & { readonly [Kind in MeteredKind]?: MeteredStore | undefined };

export interface StoredLimit {
  readonly limit: StorageLimitName;
  readonly count: StorageCount;
}

/** What is stored of each limit, in their order; 0 for what is not counted. Throws `STORE_UNAVAILABLE`. */
export async function readStoredLimits(
  readers: StorageReaders,
  wanted: readonly StoredLimit[],
): Promise<readonly number[]> {
  const amounts = new Map<StoredLimit, number>();
  const read = [readSessions(readers.sessions, wanted, amounts)];
  for (const kind of METERED_KINDS) read.push(readKind(kind, readers[kind], { wanted, amounts }));
  await Promise.all(read);
  return wanted.map((each) => amounts.get(each) ?? 0);
}

async function readSessions(
  reader: StorageReader | undefined,
  wanted: readonly StoredLimit[],
  amounts: Map<StoredLimit, number>,
): Promise<void> {
  const own = wanted.filter(({ limit }) => SESSION_LIMIT_NAMES.some((name) => name === limit));
  if (reader === undefined || own.length === 0) return;
  const stored = await reader.readStorage(own.map(({ count }) => count));
  for (const [index, each] of own.entries()) {
    const { sessions, storedBytes } = stored[index] ?? { sessions: 0, storedBytes: 0 };
    amounts.set(each, each.limit === "sessions" ? sessions : storedBytes);
  }
}

async function readKind(
  kind: MeteredKind,
  reader: MeteredStore | undefined,
  { wanted, amounts }: { readonly wanted: readonly StoredLimit[]; readonly amounts: Map<StoredLimit, number> },
): Promise<void> {
  const { items, bytes } = METERED_LIMITS[kind];
  const own = wanted.filter(({ limit }) => limit === items || limit === bytes);
  if (reader === undefined || own.length === 0) return;
  const stored = await reader.readStored(own.map(({ count }) => count));
  for (const [index, each] of own.entries()) {
    const amount = stored[index] ?? { items: 0, bytes: 0 };
    amounts.set(each, each.limit === items ? amount.items : amount.bytes);
  }
}
