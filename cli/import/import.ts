import { statSync } from "node:fs";
import { isTenantId } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openArtifactStore } from "#shared/stores/artifact-store.ts";
import { openSessionStore } from "#shared/stores/session-store.ts";
import { createStoreContext } from "#shared/stores/store-context.ts";
import { UsageError } from "../parse-arguments.ts";
import { adkFilesOf } from "./adk-files.ts";
import { type ImportReport, importSessions } from "./import-sessions.ts";
import { openSource } from "./open-source.ts";
import type { SourceLimits, SourceProblem } from "./session-source.ts";

/** A command on the stores of the settings. */
export interface StoresCommand {
  readonly flags: ReadonlyMap<string, string>;
  readonly config: StandaloneConfig;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
}

/**
 * Runs `fairlead import`. Returns the exit code: 1 if something was not imported. Throws `UsageError` for wrong arguments,
 * and `CONFIGURATION` for a source that has no sessions of a known form.
 */
export async function importCommand(command: StoresCommand & { readonly source: string }): Promise<number> {
  const { flags, config, print } = command;
  const asJson = flags.has("--json");
  const [folder, tenantId] = [flags.get("--artifacts"), flags.get("--tenant")];
  if (tenantId !== undefined && !isTenantId(tenantId)) throw new UsageError("--tenant is not a name of a tenant.");
  if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--artifacts: there is no folder ${folder}.`);
  if (config.SESSION_STORE === "memory")
    throw new UsageError("SESSION_STORE is memory: what is imported would end with this command.");
  const onProblem = ({ place, reason }: SourceProblem): void =>
    print(asJson ? JSON.stringify({ place, reason }) : `Not imported: ${place}: ${reason}`);
  const report = await moveIn(command, { folder, tenantId, onProblem });
  print(asJson ? JSON.stringify(report) : reportText(report));
  return report.problems === 0 ? 0 : 1;
}

interface MoveOptions {
  readonly folder: string | undefined;
  readonly tenantId: string | undefined;
  readonly onProblem: (problem: SourceProblem) => void;
}

async function moveIn(
  { source, config, clock, ids, logger, signal }: StoresCommand & { readonly source: string },
  { folder, tenantId, onProblem }: MoveOptions,
): Promise<ImportReport> {
  const limits: SourceLimits = {
    maxRowBytes: config.MAX_BODY_BYTES,
    maxSessionBytes: config.MAX_FILE_BODY_BYTES,
    maxEvents: config.MAX_IMPORTED_EVENTS,
    maxElements: config.MAX_JSON_ELEMENTS,
  };
  await using stack = new AsyncDisposableStack();
  const context = createStoreContext({ config, clock, ids, logger, stack });
  const { store: sessions } = await openSessionStore(context);
  const { store: artifacts } = await openArtifactStore(context);
  const opened = stack.use(await openSource({ source, limits, tenantId, config, clock, ids, logger }));
  const filesOf =
    folder === undefined
      ? undefined
      : (session: SessionKey, withUser: boolean) => adkFilesOf(folder, { session, withUser }, limits);
  // Awaited here: the stores are closed when this function returns.
  return await importSessions(opened, { sessions, artifacts, signal, onProblem, filesOf });
}

function reportText({ imported, existing, events, files, problems }: ImportReport): string {
  const parts = [`${imported} sessions with ${events} events and ${files} versions of files were imported`];
  if (existing > 0) parts.push(`${existing} sessions were there already`);
  if (problems > 0) parts.push(`${problems} problems are above`);
  return `${parts.join("; ")}.`;
}
