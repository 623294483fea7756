interface Closable {
  close(): Promise<void>;
}

const activeCloses = new WeakMap<Closable, Promise<void>>();

/**
 * Closes all of them, even if some fail; throws the first failure once all are closed. An object that is in several
 * places of a tree is closed once, because all closes of a tree begin in the same turn of the event loop.
 */
export async function closeAll(closables: Iterable<Closable>): Promise<void> {
  const results = await Promise.allSettled(Array.from(closables, close));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

function close(closable: Closable): Promise<void> {
  const known = activeCloses.get(closable);
  if (known !== undefined) return known;
  const closed = closeOne(closable).finally(() => activeCloses.delete(closable));
  activeCloses.set(closable, closed);
  return closed;
}

/** A `close` that throws gives a rejected promise. `Promise.try` would do it, which Node 22 lacks. */
async function closeOne(closable: Closable): Promise<void> {
  await closable.close();
}
