import type { LiveConnectConfig as SdkConfig } from "@google/genai";
import type { LiveConnectConfig } from "#kit/models/base-llm-connection.ts";
import type { WireRequest } from "#kit/models/wire/wire-request.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import { type GeminiTarget, toGeminiDeclaration } from "./gemini-convert.ts";

/** Settings of a generation that live sessions have, too. */
const GENERATION = [
  ...["temperature", "topP", "topK", "maxOutputTokens", "seed", "mediaResolution", "thinkingConfig", "safetySettings"],
] as const;

/** Without it a session with sound ends after 15 minutes, and one with video after two. */
const COMPRESSION = { slidingWindow: {} };

/** The setup of a session: the settings that the Live API has. */
export function toLiveSetup(
  { model, config, systemInstruction, functionDeclarations }: WireRequest,
  live: LiveConnectConfig,
  { vertexAi, handle }: GeminiTarget & { readonly handle: string | undefined },
): SdkConfig {
  const { modelTools = [], labels } = config;
  const declarations = functionDeclarations.map((declaration) =>
    present({ ...toGeminiDeclaration(declaration), behavior: declaration.behavior ?? behaviorOf(model) }),
  );
  const tools = [...(declarations.length > 0 ? [{ functionDeclarations: declarations }] : []), ...modelTools];
  const setup: object = present({
    ...Object.fromEntries(GENERATION.map((name) => [name, config[name]])),
    responseModalities: live.responseModalities ?? config.responseModalities,
    speechConfig: live.speechConfig ?? config["speechConfig"],
    systemInstruction: systemInstruction !== "" ? systemInstruction : undefined,
    tools: tools.length > 0 ? tools : undefined,
    inputAudioTranscription: live.inputAudioTranscription,
    outputAudioTranscription: live.outputAudioTranscription,
    realtimeInputConfig: live.realtimeInputConfig,
    contextWindowCompression: live.contextWindowCompression ?? COMPRESSION,
    proactivity: live.proactivity,
    enableAffectiveDialog: live.enableAffectiveDialog,
    avatarConfig: live.avatarConfig,
    sessionResumption: resumption(live.sessionResumption, { vertexAi, handle }),
    // The Gemini API refuses them.
    explicitVadSignal: vertexAi ? live.explicitVadSignal : undefined,
    labels: vertexAi ? labels : undefined,
  });
  // The kit's settings have the API's names; the SDK's types differ in enums.
  return setup as SdkConfig;
}

/** Models with extended thinking refuse calls that they would have to wait for. */
function behaviorOf(model: string): "NON_BLOCKING" | undefined {
  return model.includes("extended-thinking") ? "NON_BLOCKING" : undefined;
}

/** Handles are always asked for. Only Vertex AI reports which input they include, and the Gemini API refuses the wish. */
function resumption(
  { transparent }: JsonObject = {},
  { vertexAi, handle }: GeminiTarget & { readonly handle: string | undefined },
): JsonObject {
  return present({ handle, transparent: vertexAi ? (transparent ?? true) : undefined });
}
