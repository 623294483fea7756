import { limitsSuite } from "./suites/limits-suite.ts";
import { describeOnRig } from "./use-rig.ts";

describeOnRig(
  // A lease longer than a test: no runner detects anything by renewing it.
  { store: "sqlite", settings: { MAX_CONCURRENT_RUNS_PER_USER: "3", LEASE_MS: "60000" } },
  { short: ["L1", "L1b", "L2"], define: limitsSuite },
);
