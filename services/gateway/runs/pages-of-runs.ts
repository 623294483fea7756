import { type Shape, Type } from "#kit/schema/shape.ts";
import type { ListRunsRequest, RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";

/** Most records that one request reads. The answer's page token leads to the next ones. */
export const MAX_SEARCHED_RUNS = 1000;

const READ_PAGE_SIZE = 200;
/** The clocks of servers differ: a run among newer ones can be so much older by its time. */
const CLOCK_SKEW_MS = 60_000;

export interface Searched {
  readonly runs: number;
  /** When the oldest of them was recorded; absent for none. */
  readonly since?: number;
}

export const SearchedSchema: Shape<Searched> = Type.Object(
  {
    runs: Type.Integer({ description: "How many runs this request has looked at." }),
    since: Type.Optional(Type.Integer({ description: "When the oldest of them was recorded." })),
  },
  { description: "How far the search has looked. `nextPageToken` leads to older runs." },
);

interface PageOfRuns {
  readonly runs: readonly RunRecord[];
  /** No page follows: there are no older runs, or they are left to the next request. */
  readonly isLast: boolean;
  /** Leads to older runs. */
  readonly nextPageToken: string | undefined;
  /** The token for the runs after this one of the page. */
  tokenAfter(index: number): Promise<string | undefined>;
}

/** Reads the runs that the filters name, newest first and in pages, back to a time or until a number of them is read. */
export async function* pagesOfRuns(
  journal: Pick<RunJournal, "list">,
  { pageToken: first, ...filters }: ListRunsRequest,
  { since, most }: { readonly since: number | undefined; readonly most: number },
): AsyncGenerator<PageOfRuns, void, undefined> {
  let pageToken = first;
  // Counted by what was asked for: with long messages a page has fewer runs, and is as much to read.
  for (let asked = READ_PAGE_SIZE; ; asked += READ_PAGE_SIZE) {
    const place = { ...filters, ...(pageToken !== undefined && { pageToken }) };
    const { runs, nextPageToken } = await journal.list({ ...place, pageSize: READ_PAGE_SIZE });
    const oldest = runs.at(-1)?.createdTime ?? Number.POSITIVE_INFINITY;
    const isBeforeAll = since !== undefined && oldest < since - CLOCK_SKEW_MS;
    const isLast = nextPageToken === undefined || isBeforeAll || asked >= most;
    yield {
      runs,
      isLast,
      nextPageToken: isBeforeAll ? undefined : nextPageToken,
      tokenAfter: async (index) => (await journal.list({ ...place, pageSize: index + 1 })).nextPageToken,
    };
    if (isLast) return;
    pageToken = nextPageToken;
  }
}
