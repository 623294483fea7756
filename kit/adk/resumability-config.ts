import type { ResumabilityConfig } from "#kit/core/app.ts";

/** Creates the configuration; `isResumable` is false if it is left out. */
export function createResumabilityConfig({
  isResumable = false,
}: Partial<ResumabilityConfig> = {}): ResumabilityConfig {
  return { isResumable };
}
