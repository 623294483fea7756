export { FixedClock } from "./fixed-clock.ts";
export type { RecordedRequest } from "./recorded-request.ts";
export { type PluginHook, type RecordedHook, RecordingPlugin } from "./recording-plugin.ts";
export { type LiveSent, type LiveTurn, ScriptedConnection } from "./scripted-connection.ts";
export {
  functionCallResponse,
  type ScriptedAnswer,
  type ScriptedItem,
  ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  streamedText,
} from "./scripted-model.ts";
export { ScriptedSpeech } from "./scripted-speech.ts";
export { SequentialIds } from "./sequential-ids.ts";
