import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { openRetentionRules } from "#services/gateway/retention/open-retention.ts";
import type { RetainedItem } from "#services/gateway/retention/retained-data.ts";
import { type PassOptions, RetentionPass, type RetentionReport } from "#services/gateway/retention/retention-pass.ts";
import { RETAINED_KINDS, type RetainedKind, shortestTime } from "#services/gateway/retention/retention-rules.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openAuditor } from "#shared/audit/open-auditor.ts";
import { createMetrics } from "#shared/metrics/metrics.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openPushStore } from "#shared/stores/due-stores.ts";
import { openEvalStore } from "#shared/stores/eval-store.ts";
import { openMemoryStore } from "#shared/stores/memory-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { textTable } from "../output/text-table.ts";
import { UsageError } from "../parse-arguments.ts";

export interface PruneCommand {
  /** The words after the command. */
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly config: StandaloneConfig;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
}

/** The kinds of the lines: what an item is called, and the setting that names its store. */
const KINDS = {
  sessions: { noun: "session", setting: "SESSION_STORE" },
  runs: { noun: "run", setting: "SESSION_STORE" },
  artifacts: { noun: "artifact", setting: "ARTIFACT_STORE" },
  memory: { noun: "memory", setting: "MEMORY_STORE" },
  results: { noun: "result", setting: "EVAL_STORE" },
} as const;

/**
 * Runs `fairlead prune`: one pass of retention on the stores that the settings name. Returns the exit code: 1 if something
 * could not be deleted. Throws `UsageError` for wrong arguments.
 */
export async function prune(command: PruneCommand): Promise<number> {
  const { words, flags, config, clock, logger, print } = command;
  if (words.length > 0) throw new UsageError("Usage: fairlead prune [--dry-run] [--json]");
  if (config.RETENTION_FILE === "")
    throw new UsageError("RETENTION_FILE is empty: name the file that says how many days data is kept.");
  const rules = (await openRetentionRules({ config, clock, logger }))();
  const kinds = RETAINED_KINDS.filter((kind) => Number.isFinite(shortestTime(rules, kind)));
  for (const kind of kinds) {
    const { setting } = KINDS[kind];
    if (config[setting] === "memory")
      throw new UsageError(`${setting} is memory: its data is in the server's process, which deletes it itself.`);
  }
  const isDryRun = flags.has("--dry-run");
  const asJson = flags.has("--json");
  const onItem = (kind: RetainedKind, { timeMs: _, ...item }: RetainedItem): void => {
    const { noun } = KINDS[kind];
    if (asJson) print(JSON.stringify({ [noun]: item }));
    else if (isDryRun) print(`Would delete ${noun} ${nameOf(item)}`);
  };
  const report = await runPass(command, { rules, kinds, isDryRun, onItem });
  print(asJson ? JSON.stringify({ isDryRun, ...report }) : reportText(report, isDryRun));
  return report.failed === 0 ? 0 : 1;
}

interface Pass extends Required<Pick<PassOptions, "rules" | "isDryRun" | "onItem">> {
  /** The kinds that have a time in the rules. */
  readonly kinds: readonly RetainedKind[];
}

async function runPass(
  { config, clock, ids, logger, signal }: PruneCommand,
  { kinds, ...options }: Pass,
): Promise<RetentionReport> {
  await using stack = new AsyncDisposableStack();
  const context = createStoreContext({ config, clock, ids, logger, stack });
  const { store: sessionService } = await openSessionStore(context);
  const { store: artifactService } = await openArtifactStore(context);
  const pushStore = await openPushStore({ config, stack, clock, logger });
  // Other stores need not be there.
  const memory = kinds.includes("memory") ? await openMemoryStore(context) : undefined;
  const results = kinds.includes("results") ? await openEvalStore(context) : undefined;
  const { registry } = stack.use(createMetrics({ clock }));
  // A dry run changes nothing, and records nothing.
  const auditor = options.isDryRun ? undefined : await openAuditor({ config, clock, ids, logger, stack, registry });
  const stores = {
    sessionService,
    artifactService,
    pushStore,
    memoryService: memory?.store,
    evalStore: results?.store,
  };
  const passId = ids.next();
  // Awaited here: the stores are closed when this function returns.
  return await new RetentionPass({ ...stores, auditor, clock, logger }, { ...options, passId, signal }).run();
}

function reportText({ deleted, failed }: RetentionReport, isDryRun: boolean): string {
  const rows = deleted.map(({ kind, tenantId, appName, count }) => [tenantId, appName, kind, String(count)]);
  const done = isDryRun ? "WOULD DELETE" : "DELETED";
  const table = rows.length === 0 ? "Nothing is too old." : textTable([["TENANT", "APP", "KIND", done], ...rows]);
  return failed === 0 ? table : `${table}\n${failed} could not be deleted: see the log, and repeat the command.`;
}

function nameOf({ tenantId, appName, userId, sessionId, id }: Omit<RetainedItem, "timeMs">): string {
  const names = [tenantId, appName, userId, sessionId, id].filter((name) => name !== undefined);
  return names.map(quoted).join(" ");
}

/** Quotes a name with unusual characters, so that each name is one word of the line. */
function quoted(name: string): string {
  return /^[\w.@-]+$/.test(name) ? name : JSON.stringify(name);
}
