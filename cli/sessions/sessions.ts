import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { openRetentionRules } from "#services/gateway/retention/open-retention.ts";
import { RetentionPass, type RetentionReport } from "#services/gateway/retention/retention-pass.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openAuditor } from "#shared/audit/open-auditor.ts";
import { createMetrics } from "#shared/metrics/metrics.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openPushStore } from "#shared/stores/push-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";

export interface SessionsCommand {
  readonly action: string | undefined;
  /** The words after the action. */
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly config: StandaloneConfig;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
}

/**
 * Runs `fairlead sessions prune`: one pass of retention on the stores that the settings name. Returns the exit code: 1 if
 * something could not be deleted. Throws `UsageError` for wrong arguments.
 */
export async function sessions(command: SessionsCommand): Promise<number> {
  const { action, words, flags, config, print } = command;
  if (action !== "prune" || words.length > 0)
    throw new UsageError("Usage: fairlead sessions prune [--dry-run] [--json]");
  if (config.RETENTION_FILE === "")
    throw new UsageError("RETENTION_FILE is empty: name the file that says how many days data is kept.");
  if (config.SESSION_STORE === "memory")
    throw new UsageError(
      "SESSION_STORE is memory: its sessions are in the server's process, which deletes them itself.",
    );
  const isDryRun = flags.has("--dry-run");
  const asJson = flags.has("--json");
  const onSession = (key: SessionKey): void => {
    if (asJson) print(JSON.stringify({ session: key }));
    else if (isDryRun) print(`Would delete ${nameOf(key)}`);
  };
  const report = await prune(command, { isDryRun, onSession });
  print(asJson ? JSON.stringify({ isDryRun, ...report }) : reportText(report, isDryRun));
  return report.failed === 0 ? 0 : 1;
}

async function prune(
  { config, clock, ids, logger, signal }: SessionsCommand,
  { isDryRun, onSession }: { readonly isDryRun: boolean; readonly onSession: (key: SessionKey) => void },
): Promise<RetentionReport> {
  const rules = (await openRetentionRules({ config, clock, logger }))();
  await using stack = new AsyncDisposableStack();
  const context = createStoreContext({ config, clock, ids, logger, stack });
  const { store: sessionService } = await openSessionStore(context);
  const { store: artifactService } = await openArtifactStore(context);
  const pushStore = await openPushStore({ config, stack, clock, logger });
  const { registry } = stack.use(createMetrics({ clock }));
  // A dry run changes nothing, and records nothing.
  const auditor = isDryRun ? undefined : await openAuditor({ config, clock, ids, logger, stack, registry });
  const deps = { sessionService, artifactService, pushStore, auditor, clock, logger };
  const passId = ids.next();
  // Awaited here: the stores are closed when this function returns.
  return await new RetentionPass(deps, { rules, passId, signal, isDryRun, onSession }).run();
}

function reportText({ deleted, failed }: RetentionReport, isDryRun: boolean): string {
  const rows = deleted.map(({ kind, tenantId, appName, count }) => [tenantId, appName, kind, String(count)]);
  const done = isDryRun ? "WOULD DELETE" : "DELETED";
  const table = rows.length === 0 ? "Nothing is too old." : textTable([["TENANT", "APP", "KIND", done], ...rows]);
  return failed === 0 ? table : `${table}\n${failed} could not be deleted: see the log, and repeat the command.`;
}

function nameOf({ tenantId, appName, userId, id }: SessionKey): string {
  return [...(tenantId === undefined ? [] : [tenantId]), appName, userId, id].map(quoted).join(" ");
}

/** Quotes a name with unusual characters, so that each name is one word of the line. */
function quoted(name: string): string {
  return /^[\w.@-]+$/.test(name) ? name : JSON.stringify(name);
}
