/** The last index that was read; absent at the beginning. */
export interface PlaceOfIndex {
  readonly afterIndex?: number;
}

/** Everything of a list that is read page by page, in the order of the indexes. After the last page `read` returns none. */
export async function* allByIndex<Item extends { readonly index: number }>(
  read: (place: PlaceOfIndex & { readonly pageSize: number }) => Promise<readonly Item[]>,
  { pageSize = 200, ...start }: PlaceOfIndex & { readonly pageSize?: number } = {},
): AsyncGenerator<Item, void, undefined> {
  for (let place: PlaceOfIndex = start; ; ) {
    const page = await read({ ...place, pageSize });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    place = { afterIndex: last.index };
  }
}
