import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { WatchedFile } from "#shared/security/watched-file.ts";
import type { GatewayConfig } from "../config.ts";
import { type AppRules, readAppRules } from "./app-rules.ts";

/** The current rules; undefined if there are none. */
export type AppRulesReader = () => AppRules | undefined;

export interface AppRulesDeps {
  readonly config: Pick<GatewayConfig, "APP_RULES_FILE">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Returns the function that reads the current rules of apps, or undefined without a file. A changed file is read within a
 * second; while it is broken, the former rules stay. Throws `CONFIGURATION` if the file cannot be used at the start.
 */
export async function openAppRules({ config, clock, logger }: AppRulesDeps): Promise<AppRulesReader> {
  const path = config.APP_RULES_FILE;
  if (path === "") return () => undefined;
  // Loaded only by servers that have rules.
  const { parse } = await import("yaml");
  const parseRules = (text: string): AppRules => {
    let value: unknown;
    try {
      value = parse(text);
    } catch (error) {
      throw new PlatformError("CONFIGURATION", "APP_RULES_FILE: the file is not valid YAML.", { cause: error });
    }
    return readAppRules(value);
  };
  const file = new WatchedFile({ path, setting: "APP_RULES_FILE", parse: parseRules, clock, logger });
  return () => file.content;
}
