interface Closable {
  close(): Promise<void>;
}

/** Closes each, whatever happens to the others; throws the first failure once all are closed. */
export async function closeAll(closables: Iterable<Closable>): Promise<void> {
  const results = await Promise.allSettled(Array.from(closables, async (closable) => closable.close()));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
