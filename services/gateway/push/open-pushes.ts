import { type AllowedHosts, readAllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import type { PushStore } from "#ports/push/push-store.ts";
import type { RouteDeps } from "../deps.ts";
import type { ServerSigner } from "../identity/server-signer.ts";
import { MAX_ANSWER_BYTES } from "./call-receiver.ts";
import { PushDeliverer } from "./push-deliverer.ts";
import { PushSender } from "./push-sender.ts";

export interface Pushes {
  readonly store: PushStore;
  readonly allowedHosts: AllowedHosts;
  /** Deliveries of this process may be due. */
  look(): void;
  close(): Promise<void>;
}

/** Opens what delivers push notifications; it delivers from the first `look` on. Throws `CONFIGURATION`. */
export function openPushes(deps: RouteDeps, store: PushStore, signer: ServerSigner | undefined): Pushes {
  const { config, clock, countPush = () => {} } = deps;
  const allowedHosts = readAllowedHosts(config.OUTBOUND_ALLOWED_HOSTS);
  const outbound = createOutboundAccess({ allowedHosts: config.OUTBOUND_ALLOWED_HOSTS, maxBytes: MAX_ANSWER_BYTES });
  const isShared = config.A2A_PUSH !== "memory";
  const sender = new PushSender({ outbound, clock, signer });
  const deliverer = new PushDeliverer(deps, { store, sender, isShared, counted: countPush });
  return {
    store,
    allowedHosts,
    look: () => deliverer.look(),
    close: async () => {
      await deliverer.stop();
      await outbound[Symbol.asyncDispose]();
    },
  };
}
