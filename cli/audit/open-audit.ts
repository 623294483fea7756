import { isAuditLog, openAuditFiles, readAuditLines } from "#adapters/files/audit-file-reader.ts";
import type { ChainHead } from "#ports/audit/audit-chain.ts";
import type { AuditLine, VerifyOptions } from "#ports/audit/verify-chain.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { openFirestore } from "#shared/stores/open-firestore.ts";
import { openPostgres } from "#shared/stores/open-postgres.ts";
import { UsageError } from "../parse-arguments.ts";

/** The records to read, and how they are to be checked. */
export interface OpenedAudit {
  readonly lines: AsyncIterable<AuditLine>;
  readonly options: VerifyOptions & { readonly heads: readonly ChainHead[] };
  /** What a check cannot find in this log, for its reader. */
  readonly notes: readonly string[];
}

export interface OpenAuditOptions {
  /** Files of an audit log; `-` for standard input. None: the log that the settings name. */
  readonly paths: readonly string[];
  /** Whether the files are logs in which other programs write too. */
  readonly isMixed: boolean;
  readonly config: StandaloneConfig;
  readonly stdin: AsyncIterable<Buffer>;
  /** Closes what is opened. */
  readonly stack: AsyncDisposableStack;
}

/** Throws `UsageError` if there is nothing to read. */
export async function openAudit({ paths, isMixed, config, stdin, stack }: OpenAuditOptions): Promise<OpenedAudit> {
  if (paths.length === 0 && config.AUDIT === "firestore") {
    const database = await openFirestore({ config, stack });
    const { openFirestoreAudit } = await import("#adapters/firestore/firestore-audit-log.ts");
    const { lines, heads } = await openFirestoreAudit(database, config.FIRESTORE_ROOT);
    return { lines, options: { heads, isMixed: true, isPartial: false }, notes: [] };
  }
  if (paths.length === 0 && config.AUDIT === "postgres") {
    const database = await openPostgres({ config, stack });
    const { openPostgresAudit } = await import("#adapters/postgres/postgres-audit-log.ts");
    const { lines, heads } = await openPostgresAudit(database);
    return { lines, options: { heads, isMixed: true, isPartial: false }, notes: [] };
  }
  if (paths.length === 1 && paths[0] === "-")
    return { lines: readAuditLines(stdin, "standard input"), options: { heads: [], isMixed }, notes: [] };
  const files = paths.length === 0 && config.AUDIT === "file" ? [config.AUDIT_FILE] : paths;
  if (files.length === 0)
    throw new UsageError("Name the files of the audit log, or - for standard input: AUDIT names no log to read.");
  for (const file of files)
    if (!(await isAuditLog(file))) throw new UsageError(`There is no file ${file} that can be read.`);
  const { lines, heads, withoutHead } = await openAuditFiles(files);
  // Logs of other programs have no such file.
  const notes = isMixed ? [] : withoutHead.map(missingHead);
  return { lines, options: { heads, isMixed }, notes };
}

function missingHead(path: string): string {
  return `${path}.head is missing or broken: a log whose end was cut looks whole without it. Use --head with the head of an earlier check.`;
}
