import { systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { createAuditMetrics } from "#shared/audit/audit-metrics.ts";
import { AuditRecorder } from "#shared/audit/audit-recorder.ts";
import { type AuditConfig, openAuditLog } from "#shared/audit/open-audit-log.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { MetricRegistry } from "#shared/metrics/metric-registry.ts";
import { firestoreConfigSchema, postgresConfigSchema } from "#shared/stores/storage-settings.ts";

/** Writes audit records to the file of its first argument until it is killed, and prints each that is durable. */
const [path = "", run = ""] = process.argv.slice(2);
const stack = new AsyncDisposableStack();
const config: AuditConfig = {
  AUDIT: "file",
  AUDIT_FILE: path,
  AUDIT_FILE_MAX_BYTES: 100_000,
  ...defaultsOf(firestoreConfigSchema),
  ...defaultsOf(postgresConfigSchema),
};
const log = await openAuditLog({ config, clock: systemClock, ids: new UuidV7Generator(), stack });
if (log === undefined) throw new Error("There is no audit log.");
const observer = createAuditMetrics(new MetricRegistry());
const recorder = new AuditRecorder({ log, clock: systemClock, logger: silentLogger, observer });
const decision: Omit<AuditDecision, "requestId"> = {
  kind: "decision",
  timeMs: 0,
  subject: "key:a",
  action: "deleteSession",
  resource: {},
  decision: "allowed",
};
for (let number = 1; ; number += 1) {
  for (let noted = 0; noted < 300; noted += 1) recorder.note({ ...decision, requestId: `${run}-noted` });
  const requestId = `${run}-${number}`;
  await recorder.require({ ...decision, requestId });
  process.stdout.write(`${requestId}\n`);
}
