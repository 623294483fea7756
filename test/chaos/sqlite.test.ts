import { a2aSuite } from "./suites/a2a-suite.ts";
import { agentSuite } from "./suites/agent-suite.ts";
import { clientSuite } from "./suites/client-suite.ts";
import { planSuite } from "./suites/plan-suite.ts";
import { processSuite } from "./suites/process-suite.ts";
import { questionSuite } from "./suites/question-suite.ts";
import { scheduleSuite } from "./suites/schedule-suite.ts";
import { redisSuite, storeSuite } from "./suites/store-suite.ts";
import { webhookSuite } from "./suites/webhook-suite.ts";
import { describeOnRig } from "./use-rig.ts";

describeOnRig(
  { store: "sqlite" },
  {
    short: [
      "F1b",
      "F3drop",
      "F5b",
      "F6refuse",
      "F6half-open",
      "F7b",
      "F7cut",
      "F8b",
      "F8c",
      "F10RST",
      "F10silent",
      "F11",
      "F17",
      "F17b",
      "F18",
      "F18b",
      "F22b",
      "F23",
      "F24-1",
      "F25",
      "F26",
      "F27",
      "F29",
      "F30",
      "F31",
    ],
    define: (test, { store }) => {
      processSuite(test);
      redisSuite(test);
      storeSuite(test, store);
      clientSuite(test);
      agentSuite(test);
      planSuite(test);
      questionSuite(test);
      a2aSuite(test);
      scheduleSuite(test);
      webhookSuite(test);
    },
  },
);
