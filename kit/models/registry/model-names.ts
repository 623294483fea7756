/**
 * The hosted models that defaults, samples, templates and documents name: the newest generally available ones. Change
 * them here; a convention test finds every other place.
 */
export const MODEL_NAMES = {
  gemini: "gemini-3.8-flash",
  geminiLive: "gemini-3.8-live",
  geminiSmall: "gemini-3.5-flash-lite",
  openAi: "gpt-6.1-sol",
  openAiLive: "gpt-realtime-2.1",
  openAiSmall: "gpt-6-luna",
  openAiTranscription: "gpt-4o-mini-transcribe",
  openAiSpeech: "gpt-4o-mini-tts",
  claude: "claude-sonnet-5-5",
  claudeLarge: "claude-opus-5-5",
  claudeSmall: "claude-haiku-5-5",
} as const;
