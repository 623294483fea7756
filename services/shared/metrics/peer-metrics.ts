import type { PartStates } from "../health/readiness.ts";
import { addReadMetrics, type MetricRegistry } from "./metric-registry.ts";

/** Whether each peer of this process is reachable: services, its store, Redis. */
export interface PeerMetrics extends PartStates {
  /** For a peer whose state is read at each scrape. */
  watch(peer: string, isUp: () => boolean): void;
}

export function createPeerMetrics(registry: MetricRegistry): PeerMetrics {
  const peers = new Map<string, () => boolean>();
  addReadMetrics("gauge", {
    name: "fairlead_peer_up",
    help: "1 while the service, the store or Redis is found ready from here, 0 while it is not.",
    labelNames: ["peer"],
    registry,
    read: () => [...peers].map(([peer, isUp]) => ({ labels: { peer }, value: isUp() ? 1 : 0 })),
  });
  return {
    waitFor: (peer) => void peers.set(peer, () => false),
    ready: (peer) => void peers.set(peer, () => true),
    lost: (peer) => void peers.set(peer, () => false),
    watch: (peer, isUp) => void peers.set(peer, isUp),
  };
}
