import type { RealtimeSessionCreateRequest, RealtimeToolsConfig } from "openai/resources/realtime/realtime";
import type { LiveConnectConfig } from "#kit/models/base-llm-connection.ts";
import { callingMode, refuseModelTools } from "#kit/models/message-parts.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";

/** The only rate of raw sound that the Realtime API has, in both directions. */
export const REALTIME_HERTZ = 24_000;
const FORMAT = { type: "audio/pcm", rate: REALTIME_HERTZ } as const;
const TRANSCRIPTION_MODEL = "gpt-live-transcribe";
const VOICES = ["alloy", "ash", "ballad", "cedar", "coral", "echo", "marin", "sage", "shimmer", "verse"];

/** The settings of a session: the Realtime API has most settings of the Gemini Live API under other names. */
export function toRealtimeSession(request: WireRequest, live: LiveConnectConfig): RealtimeSessionCreateRequest {
  refuseModelTools(request);
  const { config, systemInstruction, functionDeclarations } = request;
  const hasText = live.responseModalities?.some((modality) => /^text$/i.test(modality)) === true;
  const tools = functionDeclarations.map(({ name, description, parameters }) =>
    present({ type: "function", name, description, parameters: parameters ?? { type: "object", properties: {} } }),
  );
  const session: object = present({
    type: "realtime",
    instructions: systemInstruction !== "" ? systemInstruction : undefined,
    output_modalities: [hasText ? "text" : "audio"],
    max_output_tokens: config.maxOutputTokens,
    audio: {
      input: present({
        format: FORMAT,
        transcription: transcriptionOf(live.inputAudioTranscription),
        turn_detection: detectionOf(live.realtimeInputConfig),
      }),
      output: present({ format: FORMAT, voice: voiceOf(live.speechConfig) }),
    },
    tools: tools.length > 0 ? (tools as RealtimeToolsConfig) : undefined,
    tool_choice: tools.length > 0 ? toolChoice(request) : undefined,
  });
  return session as RealtimeSessionCreateRequest;
}

function toolChoice(request: WireRequest): JsonValue | undefined {
  const { mode } = callingMode(request);
  if (mode === "NONE") return "none";
  return mode === "ANY" ? "required" : undefined;
}

function transcriptionOf(setting: JsonObject | undefined): JsonObject | undefined {
  if (setting === undefined) return undefined;
  const codes = setting["languageCodes"];
  const languages = Array.isArray(codes) ? codes.filter((code) => typeof code === "string") : [];
  // ISO 639-1: `de` of `de-DE`.
  const short = languages.map((code) => code.split("-")[0] ?? code);
  return present({
    model: TRANSCRIPTION_MODEL,
    language: short.length === 1 ? short[0] : undefined,
    languages: short.length > 1 ? short : undefined,
  });
}

/** Null if the client reports the user's activity itself. */
function detectionOf(setting: JsonObject | undefined): JsonObject | null {
  const detection = isJsonObject(setting?.["automaticActivityDetection"])
    ? setting["automaticActivityDetection"]
    : undefined;
  if (detection?.["disabled"] === true) return null;
  return present({
    type: "server_vad",
    prefix_padding_ms: numberOf(detection?.["prefixPaddingMs"]),
    silence_duration_ms: numberOf(detection?.["silenceDurationMs"]),
    interrupt_response: setting?.["activityHandling"] === "NO_INTERRUPTION" ? false : undefined,
  });
}

/** Another provider's voice has no counterpart: the session then has the default one. */
function voiceOf(setting: JsonObject | undefined): string | undefined {
  const config = setting?.["voiceConfig"];
  const prebuilt = isJsonObject(config) ? config["prebuiltVoiceConfig"] : undefined;
  const name = isJsonObject(prebuilt) ? prebuilt["voiceName"] : undefined;
  const voice = typeof name === "string" ? name.toLowerCase() : "";
  return VOICES.includes(voice) ? voice : undefined;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
