import { basename } from "node:path";
import { type App, createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import { DefinitionException } from "#kit/definitions/yaml/definition-problem.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AppFolder } from "./app-folder.ts";
import { importModule } from "./import-module.ts";

/** The exports that are checked, in this order: an app, or its root agent. */
const EXPORTS = ["app", "rootAgent", "default"] as const;

/** Imports the app of a folder. It runs under the folder's name, whatever name it declares. */
export async function loadModuleApp({ name, file }: AppFolder): Promise<App> {
  const label = `${name}/${basename(file)}`;
  const exported = await importModule(file, label);
  for (const key of EXPORTS) {
    const value = exported.get(key);
    if (value === undefined) continue;
    const given = value instanceof BaseAgent ? { rootAgent: value } : value;
    if (isAppLike(given)) return nameApp(given, name, label);
    throw broken(label, `exports "${key}", which is neither an agent nor an app of this kit.`);
  }
  throw broken(label, 'exports no agent: export "rootAgent" or "app".');
}

function nameApp(app: Pick<App, "rootAgent">, name: string, label: string): App {
  try {
    return createApp({ ...app, name });
  } catch (error) {
    if (error instanceof PlatformError) throw broken(label, error.message);
    throw error;
  }
}

function isAppLike(value: unknown): value is Pick<App, "rootAgent"> {
  return typeof value === "object" && value !== null && "rootAgent" in value && value.rootAgent instanceof BaseAgent;
}

function broken(file: string, message: string): DefinitionException {
  return new DefinitionException([{ file, message }]);
}
