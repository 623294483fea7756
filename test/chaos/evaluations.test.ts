import { evalSuite } from "./suites/eval-suite.ts";
import { describeOnRig } from "./use-rig.ts";

const isShort = process.env["CHAOS_SHORT"] === "1";
/** `CHAOS_ROUNDS` evaluations, each with kills at other moments. */
const rounds = Number(process.env["CHAOS_ROUNDS"] ?? 1);
const cases = isShort ? 40 : 200;

for (const store of ["sqlite", "firestore", "postgres"] as const)
  describeOnRig(
    { store, evaluations: true },
    { short: ["F25-1", "F26", "F27", "F28"], define: (test) => evalSuite(test, { store, cases, rounds }) },
  );
