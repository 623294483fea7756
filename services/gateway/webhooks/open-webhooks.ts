import { inTenant } from "#kit/names/tenant.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { WebhookStore } from "#ports/webhooks/webhook-store.ts";
import type { GatewayDeps, WebhookReporter } from "../deps.ts";
import { MAX_ANSWER_BYTES } from "../push/call-receiver.ts";
import { noteLiveRuns, noteRuns } from "../runs/note-runs.ts";
import { watchRuns } from "./watch-runs.ts";
import { WebhookDeliverer } from "./webhook-deliverer.ts";
import { WebhookDirectory } from "./webhook-directory.ts";
import { WebhookSender } from "./webhook-sender.ts";

export interface Webhooks extends WebhookReporter {
  /** The services of runners that note the runs which webhooks report. */
  readonly runners: Pick<GatewayDeps, "runnerService" | "liveRunner">;
  close(): Promise<void>;
}

/** Opens what reports to webhooks; it works from the first `look` on. Throws `CONFIGURATION`. */
export function openWebhooks(deps: GatewayDeps, store: WebhookStore): Webhooks {
  const { config, clock, logger, runnerService, liveRunner } = deps;
  const outbound = createOutboundAccess({ allowedHosts: config.OUTBOUND_ALLOWED_HOSTS, maxBytes: MAX_ANSWER_BYTES });
  const directory = new WebhookDirectory(store, logger);
  const sender = new WebhookSender(outbound, clock);
  const isShared = config.WEBHOOKS !== "memory";
  const deliverer = new WebhookDeliverer(deps, { store, directory, sender, isShared });
  const note = watchRuns({ store, directory, clock, look: () => deliverer.look() });
  return {
    runners: {
      runnerService: noteRuns(runnerService, note),
      liveRunner: liveRunner && noteLiveRuns(liveRunner, note),
    },
    look: () => deliverer.look(),
    watchEvaluation: async ({ jobId, appName, userId = "", tenantId }) => {
      const session = { ...inTenant(tenantId), appName, userId, id: `evaluation-${jobId}` };
      if ((await directory.wanting(session, "evaluation.finished")).length === 0) return;
      await store.watch(session, { kind: "evaluation", runId: jobId, sinceMs: clock.now() });
      deliverer.look();
    },
    report: (event) => deliverer.report(event),
    close: async () => {
      await deliverer.stop();
      await outbound[Symbol.asyncDispose]();
    },
  };
}
