import { agentSuite } from "./suites/agent-suite.ts";
import { clientSuite } from "./suites/client-suite.ts";
import { planSuite } from "./suites/plan-suite.ts";
import { processSuite } from "./suites/process-suite.ts";
import { questionSuite } from "./suites/question-suite.ts";
import { redisSuite, storeSuite } from "./suites/store-suite.ts";
import { describeOnRig } from "./use-rig.ts";

describeOnRig(
  { store: "firestore" },
  {
    short: [
      "F1",
      "F2",
      "F3half-open",
      "F3c",
      "F4",
      "F16",
      "F5",
      "F5c",
      "F6full",
      "F7refuse",
      "F7drop",
      "F7frozen",
      "F8",
      "F9",
      "F10FIN",
      "F22",
      "F24-6",
    ],
    define: (test, { store }) => {
      processSuite(test);
      redisSuite(test);
      storeSuite(test, store);
      clientSuite(test);
      agentSuite(test);
      planSuite(test);
      questionSuite(test);
    },
  },
);
