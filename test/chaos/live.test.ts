import { liveSuite } from "./suites/live-suite.ts";
import { describeOnRig } from "./use-rig.ts";

const DEFAULT_KILLS = 3;

describeOnRig(
  // One call loses many runners, and has many turns.
  { store: "sqlite", settings: { MAX_RUN_ATTEMPTS: "100", MAX_LLM_CALLS: "1000" } },
  {
    short: ["V1", "V2", "V3", "V4"],
    define: (test) => liveSuite(test, Number(process.env["LIVE_KILLS"] ?? DEFAULT_KILLS)),
  },
);
