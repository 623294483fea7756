import type { Clock } from "#kit/platform/clock.ts";
import { RUN_STATUSES } from "#kit/sessions/run-record.ts";
import { GatewayClient, type ServerCommand } from "../gateway/gateway-client.ts";
import { UsageError } from "../parse-arguments.ts";
import { DEFAULT_URL, readUrl } from "../read-url.ts";
import { readLimit, readTyped, type TypedOptions, unknownAction } from "../typed-options.ts";
import { RunsClient, type RunsQuery, type WireRun } from "./runs-client.ts";
import { runsTable } from "./runs-table.ts";

const ACTIONS = ["list", "show", "cancel", "requeue"] as const;
type Action = (typeof ACTIONS)[number];

const OPTIONS = {
  url: { type: "string" },
  app: { type: "string" },
  user: { type: "string" },
  session: { type: "string" },
  status: { type: "string" },
  limit: { type: "string" },
  json: { type: "boolean" },
} as const;

type Options = TypedOptions<typeof OPTIONS>;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;

export interface RunsCommand extends ServerCommand {
  readonly clock: Clock;
}

/**
 * Returns the output of `fairlead runs …`. Throws `UsageError` for wrong arguments, `PlatformError` for refusals of
 * the server.
 */
export async function runs({ typed, defaultUrl, credentials, clock }: RunsCommand): Promise<string> {
  const { words, options } = readTyped(typed, OPTIONS);
  const [action, ...ids] = words;
  const client = new RunsClient(new GatewayClient(readUrl(options.url ?? (defaultUrl || DEFAULT_URL)), credentials));
  const isJson = options.json === true;
  if (action === undefined) throw new UsageError(`Usage: fairlead runs ${ACTIONS.join("|")}`);
  if (!isAction(action)) throw unknownAction("runs", action, ACTIONS);
  if (action === "list") {
    if (ids.length > 0) throw new UsageError("Usage: fairlead runs list [--app …] [--status …] [--limit …] [--json]");
    const found = await client.list(readQuery(options), readLimit(options.limit, DEFAULT_LIMIT, MAX_LIMIT));
    return isJson ? JSON.stringify(found, null, 2) : runsTable(found, clock.now());
  }
  const [runId] = ids;
  if (runId === undefined || ids.length > 1) throw new UsageError(`Usage: fairlead runs ${action} <run id> [--json]`);
  const run = await client[action](runId);
  return isJson || action === "show" ? JSON.stringify(run, null, 2) : outcome(action, runId, run);
}

function outcome(action: Exclude<Action, "list" | "show">, runId: string, run: WireRun): string {
  if (action === "requeue") return `Run ${runId} is requeued as ${run.runId}, which is ${run.status}.`;
  return run.status === "pending" || run.status === "running"
    ? `Run ${runId} is asked to end.`
    : `Run ${runId} is ${run.status.replaceAll("_", " ")}.`;
}

function isAction(word: string): word is Action {
  return ACTIONS.some((action) => action === word);
}

function readQuery({ app, user, session, status }: Options): RunsQuery {
  if (session !== undefined && (app === undefined || user === undefined)) {
    throw new UsageError("The runs of a session need --app, --user and --session.");
  }
  if (status !== undefined && !RUN_STATUSES.some((known) => known === status)) {
    throw new UsageError(`--status needs one of ${RUN_STATUSES.join(", ")}.`);
  }
  return { appName: app, userId: user, sessionId: session, status };
}
