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

/** The outcome of an attempt to send a message to a webhook: it arrived, it will be sent again, or it was given up. */
export type WebhookOutcome = "delivered" | "failed" | "dead";

/** Counts the messages that this process has sent to webhooks, by what happened to them. */
export function createWebhookMetrics(registry: MetricRegistry): (outcome: WebhookOutcome) => void {
  const messages = createValue("counter", {
    name: "fairlead_webhook_messages_total",
    help: "Messages to webhooks: delivered, failed and sent again later, or dead.",
    labelNames: ["outcome"],
    registry,
  });
  const byOutcome = resolveOnce((outcome) => messages({ outcome }));
  return (outcome) => byOutcome(outcome).add(1);
}

/** The way of a chunk that was dropped: from the client, or to it. */
export type LiveDirection = "input" | "output";

/** Counts the chunks of live runs that this process has dropped because a runner or a client was too slow. */
export function createLiveMetrics(registry: MetricRegistry): (direction: LiveDirection, chunks: number) => void {
  const dropped = createValue("counter", {
    name: "fairlead_live_dropped_chunks_total",
    help: "Chunks of live runs that were dropped: input that a lost runner had not passed on, output that a client did not take in time.",
    labelNames: ["direction"],
    registry,
  });
  const byDirection = { input: dropped({ direction: "input" }), output: dropped({ direction: "output" }) };
  return (direction, chunks) => byDirection[direction].add(chunks);
}
