import { describe } from "vitest";
import { readAuditLines } from "#adapters/files/audit-file-reader.ts";
import { StdoutAuditLog } from "#shared/audit/stdout-audit-log.ts";
import { auditLogContract } from "./audit-log.ts";

describe("StdoutAuditLog", () => {
  auditLogContract(async () => {
    const written: Buffer[] = [Buffer.from("starting\n")];
    let chains = 0;
    let writesBeforeFailure = Number.POSITIVE_INFINITY;
    // A pipe that is nearly full takes a part of a line.
    const write = async (bytes: Buffer): Promise<number> => {
      writesBeforeFailure -= 1;
      if (writesBeforeFailure === 0) {
        writesBeforeFailure = Number.POSITIVE_INFINITY;
        throw new Error("EAGAIN");
      }
      const part = bytes.subarray(0, 100);
      written.push(Buffer.from(part));
      return part.length;
    };
    return {
      open: async () => {
        chains += 1;
        return new StdoutAuditLog(`chain-${chains}`, write);
      },
      read: async () => ({
        lines: (async function* () {
          for await (const line of readAuditLines(chunks(written), "log")) if (line.text !== "starting") yield line;
        })(),
      }),
      verify: { isMixed: true },
      failNext: () => {
        // Within the line of the second record.
        writesBeforeFailure = 5;
      },
    };
  });
});

async function* chunks(buffers: readonly Buffer[]): AsyncIterable<Buffer> {
  yield* buffers;
}
