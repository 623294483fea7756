import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { WatchedFile } from "#shared/security/watched-file.ts";
import type { RetentionRules } from "./retention-rules.ts";

export interface RetentionRulesContext {
  readonly config: { readonly RETENTION_FILE: string };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The current content of the file. Throws `CONFIGURATION` if it cannot be used at the start. */
export async function openRetentionRules({
  config,
  clock,
  logger,
}: RetentionRulesContext): Promise<() => RetentionRules> {
  const [yaml, { readRetentionRules }] = await Promise.all([import("yaml"), import("./read-retention-rules.ts")]);
  const parse = (text: string) => readRetentionRules(yaml, text);
  const file = new WatchedFile({ path: config.RETENTION_FILE, setting: "RETENTION_FILE", parse, clock, logger });
  return () => file.content;
}
