import { a2aSuite } from "./suites/a2a-suite.ts";
import { clientSuite } from "./suites/client-suite.ts";
import { planSuite } from "./suites/plan-suite.ts";
import { postgresSuite } from "./suites/postgres-suite.ts";
import { processSuite } from "./suites/process-suite.ts";
import { questionSuite } from "./suites/question-suite.ts";
import { redisSuite, storeSuite, transportSuite } from "./suites/store-suite.ts";
import { describeOnRig } from "./use-rig.ts";

const isShort = process.env["CHAOS_SHORT"] === "1";

describeOnRig(
  { store: "postgres", evaluations: true, memory: true },
  {
    short: ["F7frozen", "P1", "P2", "P3", "P4", "P5", "P6"],
    define: (test, { store }) => {
      processSuite(test);
      redisSuite(test);
      storeSuite(test, store);
      clientSuite(test);
      planSuite(test);
      questionSuite(test);
      a2aSuite(test);
      postgresSuite(test, { randomMs: isShort ? 6_000 : 30_000 });
    },
  },
);

// Postgres alone: it carries the streams too.
describeOnRig(
  { store: "postgres", evaluations: true, memory: true, settings: { TRANSPORT: "postgres" } },
  {
    short: ["F5c", "F6half-open", "F6refuse", "P4"],
    define: (test) => {
      transportSuite(test, "Postgres");
      postgresSuite(test, { randomMs: 30_000 });
    },
  },
);
