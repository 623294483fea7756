import type { Logger } from "#kit/platform/logger.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import type { Auditor } from "./audit-recorder.ts";
import { type AuditContext, openAuditLog } from "./open-audit-log.ts";

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
