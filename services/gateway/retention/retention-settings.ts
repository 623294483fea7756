import { Type } from "#kit/schema/shape.ts";

/** Settings of retention, of the gateway and of the command that makes one pass. */
export const retentionConfigSchema = Type.Object({
  RETENTION_FILE: Type.String({
    default: "",
    description:
      "YAML file with how many days data is kept, by app and tenant: `defaults: { sessionDays: 90, runDays: 30, artifactDays: 30, memoryDays: 365 }`, `overrides: [{ app: demo, resultDays: 7 }]`. Sessions count from their last update, records of runs (`runDays`) from the end of their work, versions of artifacts (`artifactDays`) from their save, entries of memory from their time, and results of evaluations from their creation. Read again within a second when it changes. Empty: everything is kept.",
  }),
});
