import { PlatformError } from "#kit/errors/platform-error.ts";

/**
 * Packages that are not installed with this one, because they are large and few users need each, and the major version
 * that works; of `@ai-sdk/` and Ollama the one that is made for AI SDK 7.
 */
export const OPTIONAL_PACKAGES = {
  "@a2a-js/sdk": 1,
  "@ai-sdk/amazon-bedrock": 5,
  "@ai-sdk/azure": 4,
  "@ai-sdk/groq": 4,
  "@ai-sdk/mistral": 4,
  "@anthropic-ai/sdk": 1,
  "@aws-sdk/client-s3": 3,
  "@azure/identity": 4,
  "@azure/storage-blob": 12,
  "@google-cloud/bigquery": 9,
  "@google-cloud/bigquery-storage": 5,
  "@google-cloud/firestore": 9,
  "@google-cloud/storage": 8,
  "@modelcontextprotocol/client": 2,
  "@scalar/openapi-upgrader": 0,
  "google-auth-library": 10,
  "ollama-ai-provider-v2": 4,
  openai: 7,
  pg: 8,
  "playwright-core": 1,
} as const;

export interface OptionalImport<Module> {
  readonly name: keyof typeof OPTIONAL_PACKAGES;
  /** The feature that needs the package, as the subject of the error: "Claude models". */
  readonly user: string;
  /** Imports the package, or a module that does. */
  readonly load: () => Promise<Module>;
}

/** Imports an optional package. Throws `PACKAGE_MISSING` with the command that installs it if it is not installed. */
export async function importOptional<Module>({ name, user, load }: OptionalImport<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new PlatformError("PACKAGE_MISSING", `${user} need the package ${name}. ${howToInstall(name)}`, {
      details: { package: name },
      cause: error,
    });
  }
}

/** The sentence with the command that installs the package in the version that works. */
export function howToInstall(name: string): string {
  const major = Object.entries(OPTIONAL_PACKAGES).find(([known]) => known === name)?.[1];
  return `Install it: npm install ${major === undefined ? name : `${name}@${major}`}`;
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return false;
  return error.message.includes(`'${name}'`) || error.message.includes(`/node_modules/${name}/`);
}
