import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BenchOptions, benchServers, PEER_FOLDER } from "./bench-servers.ts";
import { benchCluster } from "./cluster/bench-cluster.ts";
import { benchGuarantees } from "./guarantees/bench-guarantees.ts";
import { benchKit, benchKitMemory } from "./kit/bench-kit.ts";
import { benchPlatform } from "./platform/bench-platform.ts";
import { benchRoundTrips } from "./platform/round-trips.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    "no-peer": { type: "boolean", default: false },
    kit: { type: "boolean", default: false },
    "kit-memory": { type: "boolean", default: false },
    platform: { type: "boolean", default: false },
    cluster: { type: "boolean", default: false },
    guarantees: { type: "boolean", default: false },
    "idle-readers": { type: "boolean", default: false },
  },
});

// Processes are ended at the exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const options: BenchOptions = {
  rounds: Number(values.rounds),
  only: values.only,
  withPeer: !values["no-peer"] && existsSync(join(PEER_FOLDER, "node_modules")),
};
if (!options.withPeer)
  process.stdout.write("Without the peer: `npm ci --prefix bench/peer --ignore-scripts` installs it.\n");

if (values.kit) await benchKit(options);
if (values["kit-memory"]) await benchKitMemory(options);
if (values.platform) {
  await benchPlatform(options);
  await benchRoundTrips(options);
}
if (values.cluster) await benchCluster(options);
if (values.guarantees || values["idle-readers"]) await benchGuarantees(options, values["idle-readers"]);
const others = ["kit", "kit-memory", "platform", "cluster", "guarantees", "idle-readers"] as const;
if (!others.some((name) => values[name])) await benchServers(options);
