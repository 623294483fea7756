import { Type } from "#kit/schema/shape.ts";

/** What is recorded of requests, and where. */
export const auditConfigSchema = Type.Object({
  AUDIT: Type.Enum(["off", "stdout", "file", "firestore", "postgres"], {
    default: "off",
    description:
      "Where the audit log is kept: who changed what, who reached other users' data, and what was refused. Each record has the digest of the one before it.",
  }),
  AUDIT_FILE: Type.String({
    default: "",
    neededBy: { AUDIT: ["file"] },
    description:
      "The file of the audit log, such as .data/audit/audit.jsonl, in a folder of its own; one process at a time.",
  }),
  AUDIT_FILE_MAX_BYTES: Type.Integer({
    default: 100 * 1024 * 1024,
    minimum: 1024,
    description: "Size after which the audit log continues in a new file. Full files are never deleted.",
  }),
});
