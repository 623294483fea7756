/** The most names or numbers that a store lists at a time. */
export const NAMES_OF_PAGE = 10_000;

/** The first names of a list in its order, or the first after a name that was listed. */
export function pageOfNames<Name extends string | number>(names: Iterable<Name>, after?: Name): readonly Name[] {
  const wanted = after === undefined ? [...names] : Array.from(names).filter((name) => name > after);
  return wanted.sort(ascending).slice(0, NAMES_OF_PAGE);
}

function ascending(one: string | number, other: string | number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Every name of a list that is read page by page. */
export async function* allNames<Name extends string | number>(
  read: (after: Name | undefined) => Promise<readonly Name[]>,
): AsyncGenerator<Name, void, undefined> {
  for (let after: Name | undefined; ; ) {
    const page = await read(after);
    yield* page;
    if (page.length < NAMES_OF_PAGE) return;
    after = page.at(-1);
  }
}
