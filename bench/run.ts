import { parseArgs } from "node:util";
import { benchA2a } from "./a2a/bench-a2a.ts";
import type { BenchOptions } from "./bench-options.ts";
import { benchServers } from "./bench-servers.ts";
import { benchCluster } from "./cluster/bench-cluster.ts";
import { benchEvaluation } from "./evaluation/bench-evaluation.ts";
import { benchFloor } from "./floor/bench-floor.ts";
import { benchGuarantees } from "./guarantees/bench-guarantees.ts";
import { benchKit, benchKitMemory } from "./kit/bench-kit.ts";
import { benchLive } from "./live/bench-live.ts";
import { benchPlans } from "./planners/bench-plans.ts";
import { benchPlatformStores, benchTransports } from "./platform/bench-backends.ts";
import { benchPlatform } from "./platform/bench-platform.ts";
import { benchRoundTrips } from "./platform/round-trips.ts";
import { adkJs } from "./servers/adk-js.ts";
import type { Contender } from "./servers/contender.ts";
import { findPeers } from "./servers/find-peers.ts";
import { benchSignIn } from "./sign-in/bench-sign-in.ts";
import { benchStores } from "./stores/bench-stores.ts";
import { benchTelemetry } from "./telemetry/bench-telemetry.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    peer: { type: "string" },
    "no-peer": { type: "boolean", default: false },
    kit: { type: "boolean", default: false },
    "kit-memory": { type: "boolean", default: false },
    platform: { type: "boolean", default: false },
    transports: { type: "boolean", default: false },
    "platform-stores": { type: "boolean", default: false },
    cluster: { type: "boolean", default: false },
    planners: { type: "boolean", default: false },
    evaluation: { type: "boolean", default: false },
    guarantees: { type: "boolean", default: false },
    "sign-in": { type: "boolean", default: false },
    "idle-readers": { type: "boolean", default: false },
    floor: { type: "boolean", default: false },
    a2a: { type: "boolean", default: false },
    live: { type: "boolean", default: false },
    telemetry: { type: "boolean", default: false },
    stores: { type: "boolean", default: false },
    update: { type: "boolean", default: false },
  },
});

// Processes are ended at the exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const options: BenchOptions = { rounds: Number(values.rounds), only: values.only };

if (values.floor) {
  const greater = await benchFloor(values);
  for (const each of greater) process.stderr.write(`${each}\n`);
  if (greater.length > 0) process.exitCode = 1;
}
if (values.kit) await benchKit(options, hasPeerKit());
if (values["kit-memory"]) await benchKitMemory(hasPeerKit());
if (values.planners) benchPlans(options);
if (values.evaluation) await benchEvaluation(options);
if (values.platform) {
  await benchPlatform(options);
  await benchRoundTrips(options);
}
if (values.transports) await benchTransports(options);
if (values["platform-stores"]) await benchPlatformStores(options);
if (values.a2a) await benchA2a(options);
if (values.live) await benchLive(options, !values["no-peer"]);
if (values.cluster) await benchCluster(options);
if (values.telemetry) await benchTelemetry(options);
if (values.stores) await benchStores(options);
if (values["sign-in"]) await benchSignIn(options);
if (values.guarantees || values["idle-readers"])
  await benchGuarantees(options, await wantedPeers(), values["idle-readers"]);
const others = [
  ...["kit", "kit-memory", "platform", "planners", "cluster", "transports", "platform-stores"],
  ...["guarantees", "idle-readers", "sign-in", "evaluation", "floor", "a2a", "live", "telemetry", "stores", "stores"],
] as const;
if (!others.some((name) => values[name])) await benchServers(options, await wantedPeers());

async function wantedPeers(): Promise<readonly Contender[]> {
  return values["no-peer"] ? [] : findPeers(values.peer);
}

function hasPeerKit(): boolean {
  return !values["no-peer"] && adkJs() !== undefined;
}
