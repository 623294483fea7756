/**
 * Names of model providers, as OpenTelemetry's semantic conventions for generative AI v0.1.0 list them for
 * `gen_ai.provider.name`. A provider that is not listed has the name of its host, or its own.
 */

/** The attribute's value for a model that does not name its provider. */
export const UNKNOWN_PROVIDER = "_OTHER";

/** Hosts of providers, each with its subdomains. */
const BY_HOST: readonly (readonly [host: string, name: string])[] = [
  ["api.openai.com", "openai"],
  ["openai.azure.com", "azure.ai.openai"],
  ["services.ai.azure.com", "azure.ai.inference"],
  ["models.ai.azure.com", "azure.ai.inference"],
  ["generativelanguage.googleapis.com", "gcp.gemini"],
  ["aiplatform.googleapis.com", "gcp.vertex_ai"],
  ["anthropic.com", "anthropic"],
  ["api.cohere.com", "cohere"],
  ["api.cohere.ai", "cohere"],
  ["api.deepseek.com", "deepseek"],
  ["api.groq.com", "groq"],
  ["api.mistral.ai", "mistral_ai"],
  ["api.moonshot.ai", "moonshot_ai"],
  ["api.perplexity.ai", "perplexity"],
  ["api.x.ai", "x_ai"],
  ["ml.cloud.ibm.com", "ibm.watsonx.ai"],
];

const BEDROCK_HOST = /(^|\.)bedrock(-\w+)*\.[\w-]+\.(amazonaws\.com|api\.aws)$/;

/** The provider behind the address of an API; the host itself if no listed provider has it. */
export function providerOfUrl(url: string): string {
  const host = URL.parse(url)?.hostname ?? "";
  if (host === "") return UNKNOWN_PROVIDER;
  const known = BY_HOST.find(([name]) => host === name || host.endsWith(`.${name}`) || host.endsWith(`-${name}`));
  return known?.[1] ?? (BEDROCK_HOST.test(host) ? "aws.bedrock" : host);
}

/** Names that the AI SDK's packages have for themselves, by their beginning; longer ones first. */
const BY_AI_SDK: readonly (readonly [start: string, name: string])[] = [
  ["google.vertex", "gcp.vertex_ai"],
  ["google-vertex", "gcp.vertex_ai"],
  ["vertex", "gcp.vertex_ai"],
  ["google", "gcp.gemini"],
  ["amazon-bedrock", "aws.bedrock"],
  ["bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["mistral", "mistral_ai"],
  ["moonshotai", "moonshot_ai"],
  ["xai", "x_ai"],
];

/** The provider of a language model of the AI SDK, by its `provider`: `google.vertex.chat`, `anthropic.messages`. */
export function providerOfAiSdk(provider: string): string {
  const known = BY_AI_SDK.find(([start]) => provider.startsWith(start));
  return known?.[1] ?? (provider.split(".")[0] || UNKNOWN_PROVIDER);
}

/** The operation of a model call, `gen_ai.operation.name`: Google's API has its own. */
export function operationOf(provider: string): "chat" | "generate_content" {
  return provider.startsWith("gcp.") ? "generate_content" : "chat";
}
