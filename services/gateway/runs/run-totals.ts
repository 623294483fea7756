import { toIsoTime } from "#kit/platform/iso-time.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { tokensOf } from "#shared/quota/prices.ts";
import { callsOfUsage } from "./cost-of-usage.ts";
import { MAX_SEARCHED_RUNS, pagesOfRuns, SearchedSchema } from "./pages-of-runs.ts";

const TotalSchema = Type.Object({
  day: Type.String({ description: "Of UTC, such as 2026-12-01: when the runs were recorded." }),
  appName: Type.String(),
  userId: Type.String(),
  runs: Type.Integer(),
  failed: Type.Integer({ description: "Those that failed, or whose time was over." }),
  calls: Type.Integer({ description: "Calls of models that have reported their tokens." }),
  inputTokens: Type.Integer({ description: "Without the cached ones." }),
  cachedTokens: Type.Integer(),
  outputTokens: Type.Integer({ description: "Thoughts included." }),
  costUsd: Type.Number({ description: "Of the runs whose models have a price, by the server's present prices." }),
  unpriced: Type.Integer({ description: "Runs that have used tokens of a model without a price." }),
});
type Total = { -readonly [Name in keyof Static<typeof TotalSchema>]: Static<typeof TotalSchema>[Name] };

export const RunTotalsSchema = Type.Object({
  totals: Type.Array(TotalSchema),
  searched: SearchedSchema,
  nextPageToken: Type.Optional(
    Type.String({ description: "Leads to older runs, whose totals can be of the same days." }),
  ),
});

interface TotalsRequest {
  readonly appName?: string | undefined;
  readonly userId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly pageToken?: string | undefined;
}

interface TotalsOptions {
  readonly costOf: (run: RunRecord) => number | undefined;
  /** A page of runs ends with the one by whose request it has this size. */
  readonly maxCharacters: number;
}

/** Adds up, by day, app and user, what a bounded number of runs has used; the next request continues behind them. */
export async function readRunTotals(
  journal: Pick<RunJournal, "list">,
  { since, until = Number.POSITIVE_INFINITY, ...filters }: TotalsRequest,
  { costOf, maxCharacters }: TotalsOptions,
): Promise<Static<typeof RunTotalsSchema>> {
  const totals = new Map<string, Total>();
  let searched: Static<typeof SearchedSchema> = { runs: 0 };
  const range = { since, most: MAX_SEARCHED_RUNS };
  for await (const { runs, isLast, nextPageToken } of pagesOfRuns(journal, { ...filters, maxCharacters }, range)) {
    for (const run of runs) {
      searched = { runs: searched.runs + 1, since: run.createdTime };
      if (run.createdTime >= (since ?? 0) && run.createdTime < until) add(totals, run, costOf(run));
    }
    if (isLast) return { totals: [...totals.values()], searched, nextPageToken };
  }
  return { totals: [...totals.values()], searched };
}

function add(totals: Map<string, Total>, run: RunRecord, costUsd: number | undefined): void {
  const { createdTime, session, status, usage } = run;
  const { appName, userId } = session;
  const day = toIsoTime(createdTime).slice(0, "2026-12-01".length);
  const key = JSON.stringify([day, appName, userId]);
  const total = totals.get(key) ?? { day, appName, userId, ...NOTHING };
  totals.set(key, total);
  total.runs += 1;
  if (status === "failed" || status === "timed_out") total.failed += 1;
  if (usage === undefined) return;
  const { input, cached, output, thoughts } = tokensOf(usage);
  total.calls += callsOfUsage(usage);
  total.inputTokens += input;
  total.cachedTokens += cached;
  total.outputTokens += output + thoughts;
  total.costUsd += costUsd ?? 0;
  if (costUsd === undefined && input + cached + output + thoughts > 0) total.unpriced += 1;
}

const NOTHING = {
  runs: 0,
  failed: 0,
  calls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  unpriced: 0,
};
