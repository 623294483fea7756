import type { OpenAI } from "openai";
import { providerFetch } from "#kit/models/bounds/provider-fetch.ts";
import type { ProviderNames } from "#kit/models/error-mapper.ts";
import { findSetting, keyMissing, type ModelOptions } from "#kit/models/model-options.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";

export const NAMES: ProviderNames = { provider: "The OpenAI-compatible server", keySource: "OPENAI_API_KEY" };
export const OPENAI_URL = "https://api.openai.com/v1";
// The SDK requires a key; local servers ignore it.
const NO_KEY = "none";

/** Where a server with OpenAI's API is, and how it is entered. Absent ones are `OPENAI_BASE_URL` and `OPENAI_API_KEY`. */
export type ServerOptions = Pick<ModelOptions, "apiKey" | "baseUrl" | "headers" | "credentials">;

export interface ClientSettings {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** The settings of the moment. Throws `MODEL_KEY_MISSING` if neither a key nor an address is known. */
export function clientSettings(options: ServerOptions & Pick<ModelOptions, "model">): ClientSettings {
  const url = findSetting(options.baseUrl, options, "OPENAI_BASE_URL");
  const key = findSetting(options.apiKey, options, "OPENAI_API_KEY") ?? (url === undefined ? undefined : NO_KEY);
  if (key === undefined)
    throw keyMissing(options, "OpenAI", "OPENAI_API_KEY, or OPENAI_BASE_URL for a compatible server that needs none.");
  return { apiKey: key, baseUrl: url ?? OPENAI_URL };
}

/** Loads the SDK, and creates its client. */
export async function createClient({ apiKey, baseUrl }: ClientSettings, options: ServerOptions): Promise<OpenAI> {
  const { OpenAI } = await importOptional({
    name: "openai",
    user: "Models of OpenAI and of compatible servers",
    load: () => import("openai"),
  });
  return new OpenAI({
    apiKey,
    baseURL: baseUrl,
    fetch: providerFetch,
    defaultHeaders: { ...options.headers },
    // The SDK would read these from the environment, where they belong to the server that the environment names.
    ...(options.baseUrl !== undefined && { organization: null, project: null }),
    // The kit repeats requests and reports failures itself.
    maxRetries: 0,
    logLevel: "off",
  });
}
