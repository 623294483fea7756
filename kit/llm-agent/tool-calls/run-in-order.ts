interface Order<Item> {
  /** No other item runs at the same time. */
  readonly isAlone: (item: Item) => boolean;
  readonly maxParallel: number;
}

/**
 * Runs up to `maxParallel` items at the same time; one that has to run alone waits for all before it, and those after
 * it wait for it. Results are in the order of the items. `run` must not reject.
 */
export async function runInOrder<Item, Result>(
  items: readonly Item[],
  { isAlone, maxParallel }: Order<Item>,
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  let end = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < end; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await run(item);
    }
  };
  while (end < items.length) {
    const start = end;
    end = groupEnd(items, start, isAlone);
    next = start;
    const workers = Math.max(1, Math.min(maxParallel, end - start));
    await Promise.all(Array.from({ length: workers }, work));
  }
  return results;
}

/** The end of the items that may run at the same time as the one at `start`. */
function groupEnd<Item>(items: readonly Item[], start: number, isAlone: (item: Item) => boolean): number {
  for (let index = start; index < items.length; index += 1) {
    const item = items[index];
    if (item !== undefined && isAlone(item)) return index === start ? start + 1 : index;
  }
  return items.length;
}
