import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import type { GatewayConfig } from "./config.ts";
import { createOriginMatcher } from "./origins/origin-matcher.ts";
import { BodyBudget } from "./requests/body-budget.ts";

/**
 * What is wrong with settings that have the right types, one sentence each. The routes refuse them too, but a program
 * may add these long after it has read its settings.
 */
export function settingProblems(config: GatewayConfig): readonly string[] {
  return [() => createOriginMatcher(config), () => new BodyBudget(config)].flatMap((use) => {
    try {
      use();
      return [];
    } catch (error) {
      if (error instanceof ConfigurationException) return [error.message];
      throw error;
    }
  });
}
