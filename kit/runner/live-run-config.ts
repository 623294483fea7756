import { createRunConfig, type RunConfig, StreamingMode } from "../agents/run-config.ts";

/** The settings of a live run: a person talks with it, so unless told otherwise it speaks, and both sides are written down. */
export function createLiveRunConfig(overrides: Partial<RunConfig>): RunConfig {
  const responseModalities = overrides.responseModalities ?? ["AUDIO"];
  return createRunConfig({
    inputAudioTranscription: {},
    ...(!responseModalities.includes("TEXT") && { outputAudioTranscription: {} }),
    ...overrides,
    responseModalities,
    streamingMode: StreamingMode.BIDI,
  });
}
