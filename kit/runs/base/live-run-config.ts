import { createRunConfig, type RunConfig, StreamingMode } from "#kit/core/context/run-config.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { withDefaults } from "#kit/platform/members.ts";

/** The settings of a live run. By default the model answers with audio, and both sides are transcribed. */
export function createLiveRunConfig(overrides: Partial<RunConfig>): RunConfig {
  const responseModalities = overrides.responseModalities ?? ["AUDIO"];
  const transcribed = {
    inputAudioTranscription: {},
    outputAudioTranscription: responseModalities.includes("TEXT") ? undefined : {},
  };
  return createRunConfig({
    ...withDefaults<Partial<RunConfig>>(transcribed, overrides),
    responseModalities,
    streamingMode: StreamingMode.BIDI,
  });
}

/** The settings of a run that answers one message. Throws `INVALID_FIELD` for the streaming mode of live runs. */
export function createTurnConfig(overrides: Partial<RunConfig>): RunConfig {
  const runConfig = createRunConfig(overrides);
  if (runConfig.streamingMode !== StreamingMode.BIDI) return runConfig;
  throw new PlatformError(
    "INVALID_FIELD",
    "RunConfig.streamingMode is BIDI, which only a live connection has: call runLive, or use SSE or NONE.",
    { details: { field: "streamingMode" } },
  );
}
