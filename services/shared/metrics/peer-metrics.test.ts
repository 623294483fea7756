import { expect, it } from "vitest";
import { MetricRegistry } from "./metric-registry.ts";
import { prometheusText } from "./metrics-text.ts";
import { createPeerMetrics } from "./peer-metrics.ts";

it("reports for each peer whether it is up now", async () => {
  const registry = new MetricRegistry();
  const peers = createPeerMetrics(registry);
  let isConnected = false;
  peers.watch("redis", () => isConnected);
  peers.waitFor("session");
  peers.waitFor("store");
  peers.ready("session");
  const lines = async () =>
    prometheusText(registry)
      .split("\n")
      .filter((line) => line.startsWith("fairlead_"));
  expect(await lines()).toEqual([
    'fairlead_peer_up{peer="redis"} 0',
    'fairlead_peer_up{peer="session"} 1',
    'fairlead_peer_up{peer="store"} 0',
  ]);
  isConnected = true;
  peers.lost("session");
  expect((await lines()).slice(0, 2)).toEqual([
    'fairlead_peer_up{peer="redis"} 1',
    'fairlead_peer_up{peer="session"} 0',
  ]);
});
