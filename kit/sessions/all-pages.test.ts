import { expect, it } from "vitest";
import { allPages, type PagePlace } from "./all-pages.ts";

const PAGES = [{ items: [1], nextPageToken: "b" }, { items: [], nextPageToken: "c" }, { items: [2] }];

function createList() {
  const places: PagePlace[] = [];
  const list = async (
    place: PagePlace,
  ): Promise<{ readonly items: readonly number[]; readonly nextPageToken?: string }> => {
    places.push(place);
    return PAGES[places.length - 1] ?? { items: [] };
  };
  return { places, list };
}

it("walks a list to its last page, empty pages included", async () => {
  const { places, list } = createList();
  expect(await Array.fromAsync(allPages(list))).toEqual(PAGES);
  expect(places).toEqual([{}, { pageToken: "b" }, { pageToken: "c" }]);
});

it("requests no page that its caller does not ask for", async () => {
  const { places, list } = createList();
  for await (const { items } of allPages(list)) if (items.length > 0) break;
  expect(places).toEqual([{}]);
});
