import { write } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { openDataDir } from "#adapters/sqlite/data-dir.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { openFirestore } from "../stores/open-firestore.ts";
import { openPostgres } from "../stores/open-postgres.ts";
import type { DatabaseConfig } from "../stores/row-table.ts";
import type { StoreContext } from "../stores/store-context.ts";
import type { auditConfigSchema } from "./audit-settings.ts";

export type AuditConfig = ConfigOf<typeof auditConfigSchema> & DatabaseConfig;
export type AuditContext = Pick<StoreContext<AuditConfig>, "config" | "clock" | "ids" | "stack">;

const STANDARD_OUTPUT = 1;
const OTHER_FOLDER = { otherFolder: "with AUDIT_FILE, which needs a folder of its own" };

/** Opens the log that the settings name, for writing; undefined if there is none. The caller closes it. */
export async function openAuditLog({ config, clock, ids, stack }: AuditContext): Promise<AuditLog | undefined> {
  const newChain = ids.next();
  switch (config.AUDIT) {
    case "off":
      return undefined;
    case "stdout": {
      const { StdoutAuditLog } = await import("./stdout-audit-log.ts");
      const writeSome = promisify(write);
      return new StdoutAuditLog(newChain, async (bytes) => (await writeSome(STANDARD_OUTPUT, bytes)).bytesWritten);
    }
    case "file": {
      // The lock is held until the log is closed, as the stack closes in reverse order.
      const folder = stack.use(openDataDir(dirname(config.AUDIT_FILE), OTHER_FOLDER));
      const { FileAuditLog } = await import("#adapters/files/file-audit-log.ts");
      const path = join(folder.path, basename(config.AUDIT_FILE));
      return FileAuditLog.open({ path, newChain, maxBytes: config.AUDIT_FILE_MAX_BYTES, nowMs: clock.now() });
    }
    case "firestore": {
      const database = await openFirestore({ config, stack });
      const { FirestoreAuditLog } = await import("#adapters/firestore/firestore-audit-log.ts");
      return new FirestoreAuditLog({ database, root: config.FIRESTORE_ROOT, chain: newChain, clock });
    }
    case "postgres": {
      const database = await openPostgres({ config, stack });
      const { PostgresAuditLog } = await import("#adapters/postgres/postgres-audit-log.ts");
      return new PostgresAuditLog({ database, chain: newChain });
    }
    default:
      return config.AUDIT satisfies never;
  }
}
