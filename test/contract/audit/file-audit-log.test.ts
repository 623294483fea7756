import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { openAuditFiles } from "#adapters/files/audit-file-reader.ts";
import { FileAuditLog } from "#adapters/files/file-audit-log.ts";
import { injectFileFaults } from "#test/helpers/faults/file-faults.ts";
import { auditLogContract } from "./audit-log.ts";

describe.each([
  ["one file", 1_000_000],
  ["many files", 500],
])("FileAuditLog in %s", (_name, maxBytes) => {
  auditLogContract(async () => {
    const folder = await mkdtemp(join(tmpdir(), "audit-"));
    const path = join(folder, "audit.jsonl");
    const faults = injectFileFaults();
    let chains = 0;
    return {
      open: () => {
        chains += 1;
        return FileAuditLog.open({ path, newChain: `chain-${chains}`, maxBytes, nowMs: 0 });
      },
      read: () => openAuditFiles([path]),
      failNext: () => faults.failCall(1, "ENOSPC"),
      dispose: async () => {
        faults[Symbol.dispose]();
        await rm(folder, { recursive: true });
      },
    };
  });
});
