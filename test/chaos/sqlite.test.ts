import { agentSuite } from "./agent-suite.ts";
import { clientSuite } from "./client-suite.ts";
import { processSuite } from "./process-suite.ts";
import { redisSuite, storeSuite } from "./store-suite.ts";
import { describeOnRig } from "./use-rig.ts";

describeOnRig({ store: "sqlite" }, (test, { store }) => {
  processSuite(test);
  redisSuite(test);
  storeSuite(test, store);
  clientSuite(test);
  agentSuite(test);
});
