import { PlatformError } from "#kit/errors/platform-error.ts";

/**
 * Packages that are not installed with this one, because they are large and few users need each, and the major version
 * that works.
 */
export const OPTIONAL_PACKAGES = {
  "@a2a-js/sdk": 1,
  "@ai-sdk/amazon-bedrock": 5,
  "@ai-sdk/azure": 4,
  "@ai-sdk/groq": 4,
  "@ai-sdk/mistral": 4,
  "@anthropic-ai/sdk": 1,
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
    const command = `npm install ${name}@${OPTIONAL_PACKAGES[name]}`;
    throw new PlatformError("PACKAGE_MISSING", `${user} need the package ${name}. Install it: ${command}`, {
      details: { package: name },
      cause: error,
    });
  }
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return false;
  return error.message.includes(`'${name}'`) || error.message.includes(`/node_modules/${name}/`);
}
