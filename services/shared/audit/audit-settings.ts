import type { Logger } from "#kit/platform/logger.ts";
import { Type } from "#kit/schema/shape.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import type { Auditor } from "./audit-recorder.ts";
import { type AuditContext, openAuditLog } from "./open-audit-log.ts";

/** What is recorded of requests, and where. */
export const auditConfigSchema = Type.Object({
  AUDIT: Type.Enum(["off", "stdout", "file", "firestore"], {
    default: "off",
    description:
      "Where the audit log is kept: who changed what, who reached other users' data, and what was refused. Each record has the digest of the one before it.",
  }),
  AUDIT_FILE: Type.String({
    default: "",
    neededBy: { AUDIT: ["file"] },
    description:
      "The file of the audit log, such as .data/audit/audit.jsonl, in a folder of its own; one process at a time.",
  }),
  AUDIT_FILE_MAX_BYTES: Type.Integer({
    default: 100 * 1024 * 1024,
    minimum: 1024,
    description: "Size after which the audit log continues in a new file. Full files are never deleted.",
  }),
});

/** Starts to write the audit log; undefined if AUDIT is off. The stack closes it. */
export async function openAuditor({
  logger,
  registry,
  ...context
}: AuditContext & { readonly logger: Logger; readonly registry: MetricRegistry }): Promise<Auditor | undefined> {
  const log = await openAuditLog(context);
  if (log === undefined) return undefined;
  // Loaded only by servers that record.
  const [{ createAuditMetrics }, { AuditRecorder }] = await Promise.all([
    import("./audit-metrics.ts"),
    import("./audit-recorder.ts"),
  ]);
  const { clock, stack } = context;
  return stack.use(new AuditRecorder({ log, clock, logger, observer: createAuditMetrics(registry) }));
}
