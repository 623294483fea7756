import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { isMap, type KubernetesObject, SCENARIOS, tools } from "./render.ts";
import { renderCase } from "./render-case.ts";

// What each scenario makes, kept so that a change of a template shows what it does. To take a change over:
//   npm run test:chart -- golden --update
const GOLDEN = join(import.meta.dirname, "golden");
/** Longer texts are files of their own elsewhere in the repository: dashboards, programs. */
const MAX_TEXT = 1500;

/** The objects as YAML, in the order of their kinds and names. */
function toGolden(objects: readonly KubernetesObject[]): string {
  const sorted = [...objects].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  return sorted
    .map((object) => stringify(shortened(withoutSecrets(object)), { lineWidth: 0, aliasDuplicateObjects: false }))
    .join("---\n");
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name}`;
}

/** Keys and tokens are made anew by each render. */
function withoutSecrets(object: KubernetesObject): KubernetesObject {
  const data = object["data"];
  if (object.kind !== "Secret" || !isMap(data)) return object;
  return { ...object, data: Object.fromEntries(Object.keys(data).map((key) => [key, "(a secret)"])) };
}

function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > MAX_TEXT) {
    const digest = createHash("sha256").update(value).digest("hex").slice(0, 12);
    return `(${value.length} characters, SHA-256 ${digest})`;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
  return value;
}

describe.skipIf(tools.helm === undefined)("what is rendered", () => {
  it.each(SCENARIOS)("of scenario %s is as it was, or the change is meant", async (name) => {
    await expect(toGolden(await renderCase(name))).toMatchFileSnapshot(join(GOLDEN, `${name}.yaml`));
  });

  it("is kept of no scenario that is removed", () => {
    const kept = existsSync(GOLDEN) ? readdirSync(GOLDEN) : [];
    expect(kept.filter((file) => !SCENARIOS.includes(file.replace(".yaml", "")))).toEqual([]);
  });
});
