import type { Requirement } from "#test/requirements/requirement.ts";

export const versioning: readonly Requirement[] = [
  { id: "versioning:constant", line: 323, status: "verified", text: "A class or module tracks the version of the kit in a constant." },
  { id: "versioning:constant:name", line: 323, status: "verified", text: "The constant's name holds the product's name." },
  { id: "versioning:value", line: 324, status: "verified", text: "The value of the version is left open.", decided: "The version of package.json." },
  { id: "versioning:http", line: 325, status: "verified", text: "Versions of paths, headers and payloads are left open.", decided: "The protocol's paths have none; the platform's own for runs begin with `/v1`." },
];
