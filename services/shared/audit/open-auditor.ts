import type { Logger } from "#kit/platform/logger.ts";
import type { MetricRegistry } from "../metrics/metric-registry.ts";
import { createAuditMetrics } from "./audit-metrics.ts";
import { type Auditor, AuditRecorder } from "./audit-recorder.ts";
import { type AuditContext, openAuditLog } from "./open-audit-log.ts";

/** Starts to write the audit log; undefined if AUDIT is off. The stack closes it. */
export async function openAuditor({
  logger,
  registry,
  ...context
}: AuditContext & { readonly logger: Logger; readonly registry: MetricRegistry }): Promise<Auditor | undefined> {
  const log = await openAuditLog(context);
  if (log === undefined) return undefined;
  const { clock, stack } = context;
  return stack.use(new AuditRecorder({ log, clock, logger, observer: createAuditMetrics(registry) }));
}
