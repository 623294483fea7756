import { providerFetch } from "#kit/models/bounds/provider-fetch.ts";
import { importRetry } from "#kit/packages/import-retry.ts";

/** Google's SDK, loaded at the first call of a model that needs it. */
export const importGoogleGenAi = importRetry({
  load: () => import("@google/genai"),
  address: () => import.meta.resolve("@google/genai"),
});

/** Where Node keeps the dispatcher of the global `fetch`, which sends requests through a proxy if there is one. */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/**
 * The providers' `fetch`, without Node's time limit for the next bytes: the SDK turns it off for its own `fetch`, because
 * a model may think for longer. The run's time limit ends the request.
 */
export const geminiFetch: typeof globalThis.fetch = (input, init) => {
  const patient = {
    dispatch: (options: object, handler: unknown) =>
      Reflect.get(globalThis, DISPATCHER).dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  };
  return providerFetch(input, { ...init, dispatcher: patient } as RequestInit);
};
