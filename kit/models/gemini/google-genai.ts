import { importRetry } from "#kit/packages/import-retry.ts";

/** Google's SDK, loaded at the first call of a model that needs it. */
export const importGoogleGenAi = importRetry({
  load: () => import("@google/genai"),
  address: () => import.meta.resolve("@google/genai"),
});
