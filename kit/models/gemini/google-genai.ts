import { providerFetch } from "#kit/models/bounds/provider-fetch.ts";
import { importRetry } from "#kit/optional-packages/import-retry.ts";
import { geminiAnswer } from "./gemini-answer.ts";

/** Google's SDK, loaded at the first call of a model that needs it. */
export const importGoogleGenAi = importRetry({
  load: () => import("@google/genai"),
  address: () => import.meta.resolve("@google/genai"),
});

/**
 * Whether the variables choose Vertex AI. `GOOGLE_GENAI_USE_ENTERPRISE` is the newer name, which the commands of ADK for
 * Python write into `.env`; it counts if both are set, as for Google's SDKs.
 */
export function usesVertexAi(read: (variable: string) => string | undefined): boolean {
  const value = read("GOOGLE_GENAI_USE_ENTERPRISE") || read("GOOGLE_GENAI_USE_VERTEXAI") || "";
  return /^(true|1)$/i.test(value);
}

/** Where Node keeps the dispatcher of the global `fetch`, which sends requests through a proxy if there is one. */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/**
 * The providers' `fetch`, without Node's time limit for the next bytes: the SDK turns it off for its own `fetch`, because
 * a model may think for longer. The run's time limit ends the request.
 */
export const geminiFetch: typeof globalThis.fetch = async (input, init) => {
  const patient = {
    dispatch: (options: object, handler: unknown) =>
      Reflect.get(globalThis, DISPATCHER).dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  };
  const response = await providerFetch(input, { ...init, dispatcher: patient } as RequestInit);
  const [, method] = /:(generateContent|streamGenerateContent)(?:\?|$)/.exec(urlOf(input)) ?? [];
  if (!response.ok || method === undefined) return response;
  return geminiAnswer(response, { isStreamed: method === "streamGenerateContent" });
};

function urlOf(input: Parameters<typeof globalThis.fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}
