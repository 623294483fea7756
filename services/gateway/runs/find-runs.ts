import type { ListRunsRequest, ListRunsResponse, RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { MAX_SEARCHED_RUNS, pagesOfRuns, type Searched } from "./pages-of-runs.ts";
import { messageText } from "./wire-run.ts";

const DEFAULT_PAGE_SIZE = 100;

/** A search by values without an index. */
export interface RunSearch {
  /** Part of an id, of the message or of the error, in any case. */
  readonly find?: string | undefined;
  /** Milliseconds since the epoch, as both times: recorded at this time or later. */
  readonly createdAfter?: number | undefined;
  /** Recorded before this time. */
  readonly createdBefore?: number | undefined;
  readonly minTokens?: number | undefined;
  readonly minCostUsd?: number | undefined;
}

interface FindRunsRequest extends ListRunsRequest, RunSearch {
  /** Returns the cost of a run's models; undefined if it is not known. */
  readonly costOf: (run: RunRecord) => number | undefined;
}

export interface FoundRuns extends ListRunsResponse {
  readonly searched: Searched;
}

export function isSearch({ find, createdAfter, createdBefore, minTokens, minCostUsd }: RunSearch): boolean {
  return Boolean(find) || [createdAfter, createdBefore, minTokens, minCostUsd].some((value) => value !== undefined);
}

/**
 * Finds runs that match the filters and the search. The filters have indexes and the search has none, so it reads a bounded number
 * of records, and its page may be short, or empty, although there are more. The whole id of a run finds it whatever its age.
 */
export async function findRuns(
  journal: Pick<RunJournal, "get" | "list">,
  request: FindRunsRequest,
): Promise<FoundRuns> {
  const { find, createdAfter, createdBefore, minTokens, minCostUsd, costOf, ...listed } = request;
  const { pageSize = DEFAULT_PAGE_SIZE, pageToken } = listed;
  const text = find?.toLowerCase();
  const matches = (run: RunRecord): boolean =>
    (createdAfter === undefined || run.createdTime >= createdAfter) &&
    (createdBefore === undefined || run.createdTime < createdBefore) &&
    (minTokens === undefined || (run.usage?.totalTokenCount ?? 0) >= minTokens) &&
    (minCostUsd === undefined || (costOf(run) ?? -1) >= minCostUsd) &&
    (!text || hasText(run, text));
  const exact = find && pageToken === undefined ? await journal.get(find) : undefined;
  if (exact !== undefined && isAllowed(exact, listed) && matches(exact))
    return { runs: [exact], searched: { runs: 1, since: exact.createdTime } };

  const runs: RunRecord[] = [];
  let searched: Searched = { runs: 0 };
  for await (const page of pagesOfRuns(journal, listed, { since: createdAfter, most: MAX_SEARCHED_RUNS })) {
    for (const [index, run] of page.runs.entries()) {
      searched = { runs: searched.runs + 1, since: run.createdTime };
      if (!matches(run)) continue;
      runs.push(run);
      // The next page begins directly after this run.
      if (runs.length === pageSize) return { runs, searched, nextPageToken: await page.tokenAfter(index) };
    }
    if (page.isLast) return { runs, searched, nextPageToken: page.nextPageToken };
  }
  return { runs, searched };
}

function isAllowed({ session, status, answeredBy }: RunRecord, request: ListRunsRequest): boolean {
  const { appName = session.appName, userId = session.userId, statuses = [status], session: of = session } = request;
  const isListed = request.statuses === undefined || answeredBy === undefined;
  const isOfSession = of.appName === session.appName && of.userId === session.userId && of.id === session.id;
  return (
    appName === session.appName && userId === session.userId && statuses.includes(status) && isListed && isOfSession
  );
}

function hasText(run: RunRecord, text: string): boolean {
  const { runId, invocationId, session, holder = "", request, error } = run;
  const texts = [runId, session.userId, session.id, session.appName, invocationId, holder];
  if (error !== undefined) texts.push(error.reason, error.message);
  return (
    texts.some((each) => each.toLowerCase().includes(text)) ||
    messageText(request.newMessage).toLowerCase().includes(text)
  );
}
