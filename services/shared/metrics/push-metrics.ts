import type { PushOutcome } from "#ports/push/push-store.ts";
import { createValue, type MetricRegistry, resolveOnce } from "./metric-registry.ts";

/** Counts the push notifications that this process has sent, by what happened to them. */
export function createPushMetrics(registry: MetricRegistry): (outcome: PushOutcome) => void {
  const notifications = createValue("counter", {
    name: "fairlead_push_notifications_total",
    help: "Push notifications of the Agent2Agent protocol: delivered, failed and sent again later, or given up.",
    labelNames: ["outcome"],
    registry,
  });
  const byOutcome = resolveOnce((outcome) => notifications({ outcome }));
  return (outcome) => byOutcome(outcome).add(1);
}
