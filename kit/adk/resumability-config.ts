import type { ResumabilityConfig } from "#kit/core/app.ts";

/** Not resumable unless the parameters say so. */
export function createResumabilityConfig({
  isResumable = false,
}: Partial<ResumabilityConfig> = {}): ResumabilityConfig {
  return { isResumable };
}
