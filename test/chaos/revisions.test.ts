import { revisionSuite } from "./suites/revision-suite.ts";
import { describeOnRig } from "./use-rig.ts";

describeOnRig(
  { store: "sqlite", ownAgents: true, settings: { AGENT_REVISION_WAIT_MS: "2000", AUTO_CREATE_SESSION: "true" } },
  { short: ["R1", "R2"], define: revisionSuite },
);
