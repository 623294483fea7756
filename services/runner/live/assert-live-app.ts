import type { App } from "#kit/core/app.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";

/** Throws `LIVE_NOT_SUPPORTED` before a run is recorded whose agent's model has no live connection. */
export function assertLiveApp({ rootAgent }: App): void {
  if (!isLlmAgent(rootAgent)) return;
  const model = rootAgent.resolveModel();
  if (model.connect !== undefined) return;
  throw new PlatformError(
    "LIVE_NOT_SUPPORTED",
    `The model ${model.model} of the agent "${rootAgent.name}" has no live connection: choose a live model, or send messages to /run.`,
  );
}
