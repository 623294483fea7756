import type { ListRunsRequest, ListRunsResponse, RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { messageText } from "./wire-run.ts";

/** Most records that one search reads. The answer's page token leads to the next ones. */
export const MAX_SEARCHED_RUNS = 1000;

const DEFAULT_PAGE_SIZE = 100;
const READ_PAGE_SIZE = 200;

interface FindRunsRequest extends ListRunsRequest {
  /** Part of an id or of the message, in any case. */
  readonly find: string;
}

/**
 * Finds runs that match the filters and whose ids or message contain the text. The filters have indexes and the text
 * has none, so a search reads a bounded number of records, and its page may be short, or empty, although there are
 * more. The whole id of a run finds it whatever its age.
 */
export async function findRuns(
  journal: Pick<RunJournal, "get" | "list">,
  { find, pageSize = DEFAULT_PAGE_SIZE, ...request }: FindRunsRequest,
): Promise<ListRunsResponse> {
  const exact = request.pageToken === undefined ? await journal.get(find) : undefined;
  if (exact !== undefined && isAllowed(exact, request)) return { runs: [exact] };
  const text = find.toLowerCase();
  const runs: RunRecord[] = [];
  let { pageToken } = request;
  for (let searched = 0; searched < MAX_SEARCHED_RUNS; searched += READ_PAGE_SIZE) {
    const place = { ...request, ...(pageToken !== undefined && { pageToken }) };
    const page = await journal.list({ ...place, pageSize: READ_PAGE_SIZE });
    for (const [index, run] of page.runs.entries()) {
      if (!hasText(run, text)) continue;
      runs.push(run);
      if (runs.length < pageSize) continue;
      // The next page begins directly after this run.
      const { nextPageToken } = await journal.list({ ...place, pageSize: index + 1 });
      return { runs, nextPageToken };
    }
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return { runs };
  }
  return { runs, nextPageToken: pageToken };
}

function isAllowed({ session, status, answeredBy }: RunRecord, request: ListRunsRequest): boolean {
  const { appName = session.appName, userId = session.userId, statuses = [status], session: of = session } = request;
  const isListed = request.statuses === undefined || answeredBy === undefined;
  const isOfSession = of.appName === session.appName && of.userId === session.userId && of.id === session.id;
  return (
    appName === session.appName && userId === session.userId && statuses.includes(status) && isListed && isOfSession
  );
}

function hasText({ runId, invocationId, session, holder = "", request }: RunRecord, text: string): boolean {
  const texts = [runId, session.userId, session.id, session.appName, invocationId, holder];
  return (
    texts.some((id) => id.toLowerCase().includes(text)) || messageText(request.newMessage).toLowerCase().includes(text)
  );
}
