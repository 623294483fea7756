/** The part of a request that names the page; empty for the first page. */
export interface PagePlace {
  readonly pageToken?: string;
}

/** Yields a list's pages. The next page is requested only when the caller asks for it. */
export async function* allPages<Page extends { readonly nextPageToken?: string }>(
  list: (place: PagePlace) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let place: PagePlace = {};
  for (;;) {
    const page = await list(place);
    yield page;
    if (page.nextPageToken === undefined) return;
    place = { pageToken: page.nextPageToken };
  }
}
