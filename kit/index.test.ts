import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import * as kit from "./index.ts";

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
