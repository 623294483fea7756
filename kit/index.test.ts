import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import * as a2a from "./a2a/index.ts";
import * as definitions from "./definitions/index.ts";
import * as evaluation from "./evaluation/index.ts";
import * as agents from "./index.ts";
import * as models from "./models/index.ts";
import * as planners from "./planners/index.ts";
import * as plugins from "./plugins/index.ts";
import * as tools from "./tools/index.ts";

const kit = { ...agents, ...a2a, ...definitions, ...evaluation, ...models, ...planners, ...plugins, ...tools };

/**
 * Classes whose constructor takes more than one argument: a message and a cause for errors, the context of a run, or a
 * limit and the used amount.
 */
const MORE_ARGUMENTS = new Set([
  "ConfigurationException",
  "GenAiFieldMissingException",
  "InvocationContext",
  "McpSessionInitializationError",
  "McpToolDeclarationError",
  "A2AClientError",
  "AgentCardResolutionError",
  "McpToolError",
  "McpToolLoadingError",
  "MessageConversionException",
  "ModelError",
  "PlatformError",
  "ReplayConfigError",
  "TokenBudgetExceededError",
]);

describe("what the kit exports", () => {
  it("has one entry for what most agents need, of two hundred names at most", () => {
    const entries = readFileSync(join(REPOSITORY_ROOT, "test/package/exports.txt"), "utf8").split(/^(?=fairlead)/m);
    const names =
      entries
        .find((entry) => entry.startsWith("fairlead/kit\n"))
        ?.trim()
        .split("\n")
        .slice(1) ?? [];
    expect(names).toContain("  LlmAgent");
    expect(names.length).toBeLessThanOrEqual(200);
  });

  it("is created by constructors of one argument instead of builders", () => {
    verifies("typescript:options-objects");
    const classes = Object.entries(kit).flatMap(([name, value]) =>
      typeof value === "function" && /^class\b/.test(`${value}`) ? [{ name, parameters: value.length }] : [],
    );
    expect(classes.length).toBeGreaterThan(50);
    const others = classes.filter(({ parameters }) => parameters > 1).map(({ name }) => name);
    expect(new Set(others)).toEqual(MORE_ARGUMENTS);
    expect(Object.keys(kit).filter((name) => /Builder$|^builder$/.test(name))).toEqual([]);
  });

  it("includes the errors that callers catch by class", () => {
    verifies("errors:class-names");
    const names = [
      "LlmCallLimitExceededError",
      "SessionError",
      "SessionNotFoundError",
      "ReplayConfigError",
      "ReplayVerificationError",
    ];
    for (const name of names) expect([name, Reflect.get(kit, name)?.prototype instanceof Error]).toEqual([name, true]);
  });
});
