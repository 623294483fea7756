import type { AiSdkLanguageModel } from "#kit/models/ai-sdk/ai-sdk-model.ts";
import type { OPTIONAL_PACKAGES } from "#kit/optional-packages/optional-package.ts";

/** A setting of a provider, and the variable that it comes from. */
interface ProviderSetting {
  /** The option of the package's function. */
  readonly option: string;
  readonly variable: string;
  readonly fallback?: string;
}

/** A package of the AI SDK for one provider. */
export interface ProviderPackage {
  readonly package: string;
  /** The function that makes the provider, a `CreateProvider`; undefined in a package of another version. */
  readonly load: () => Promise<unknown>;
  readonly settings: readonly ProviderSetting[];
  /** Sets of variables: one of them has to be complete. Empty: the provider needs no key. */
  readonly keys: readonly (readonly string[])[];
}

/** The function of a package that makes the provider, and the provider, which makes language models. */
export type CreateProvider = (settings: Readonly<Record<string, unknown>>) => (modelId: string) => AiSdkLanguageModel;

/**
 * The providers whose models have names that begin with theirs, such as `groq/llama-4`. A model of one is made by the
 * provider's package of the AI SDK, which is loaded at its first call.
 */
export const PROVIDER_PACKAGES = {
  azure: {
    package: "@ai-sdk/azure",
    load: async () => (await import("@ai-sdk/azure")).createAzure,
    settings: [
      { option: "apiKey", variable: "AZURE_API_KEY" },
      { option: "resourceName", variable: "AZURE_RESOURCE_NAME" },
      { option: "baseURL", variable: "AZURE_BASE_URL" },
    ],
    keys: [
      ["AZURE_API_KEY", "AZURE_RESOURCE_NAME"],
      ["AZURE_API_KEY", "AZURE_BASE_URL"],
    ],
  },
  bedrock: {
    package: "@ai-sdk/amazon-bedrock",
    load: async () => (await import("@ai-sdk/amazon-bedrock")).createAmazonBedrock,
    settings: [
      { option: "region", variable: "AWS_REGION", fallback: "us-east-1" },
      { option: "apiKey", variable: "AWS_BEARER_TOKEN_BEDROCK" },
      { option: "accessKeyId", variable: "AWS_ACCESS_KEY_ID" },
      { option: "secretAccessKey", variable: "AWS_SECRET_ACCESS_KEY" },
      { option: "sessionToken", variable: "AWS_SESSION_TOKEN" },
      { option: "baseURL", variable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME" },
    ],
    keys: [["AWS_BEARER_TOKEN_BEDROCK"], ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]],
  },
  groq: {
    package: "@ai-sdk/groq",
    load: async () => (await import("@ai-sdk/groq")).createGroq,
    settings: [
      { option: "apiKey", variable: "GROQ_API_KEY" },
      { option: "baseURL", variable: "GROQ_BASE_URL" },
    ],
    keys: [["GROQ_API_KEY"]],
  },
  mistral: {
    package: "@ai-sdk/mistral",
    load: async () => (await import("@ai-sdk/mistral")).createMistral,
    settings: [
      { option: "apiKey", variable: "MISTRAL_API_KEY" },
      { option: "baseURL", variable: "MISTRAL_BASE_URL" },
    ],
    keys: [["MISTRAL_API_KEY"]],
  },
  ollama: {
    package: "ollama-ai-provider-v2",
    load: async () => (await import("ollama-ai-provider-v2")).createOllama,
    settings: [{ option: "baseURL", variable: "OLLAMA_BASE_URL" }],
    keys: [],
  },
} as const satisfies Readonly<Record<string, ProviderPackage & { readonly package: keyof typeof OPTIONAL_PACKAGES }>>;

/** The name of a provider that has a package. */
export type PackagedProvider = keyof typeof PROVIDER_PACKAGES;
