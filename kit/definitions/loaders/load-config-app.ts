import { basename } from "node:path";
import { type App, createApp } from "#kit/core/app.ts";
import { AgentBuilder } from "#kit/definitions/registry/agent-builder.ts";
import { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import { componentRegistry } from "#kit/definitions/registry/core-components.ts";
import { readAppSettings } from "#kit/definitions/registry/read-app-settings.ts";
import type { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import { DefinitionException, ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { AppFolder } from "./app-folder.ts";
import { registerAppComponents } from "./register-app-components.ts";

/**
 * Builds the app of a folder's definition, which may name the folder's own components in addition to those of the
 * registry.
 */
export async function loadDefinitionApp(
  appFolder: AppFolder,
  folder: DefinitionFolder,
  components: ComponentRegistry = componentRegistry,
): Promise<App> {
  const registry = new ComponentRegistry(components);
  await registerAppComponents(appFolder, registry);
  return loadConfigApp(appFolder, folder, registry);
}

/**
 * Builds the app of a folder from its `root_agent` file and its optional `app` file. Throws a `DefinitionException`
 * with all problems of all files.
 */
export async function loadConfigApp(
  appFolder: AppFolder,
  folder: DefinitionFolder,
  registry: ComponentRegistry,
): Promise<App> {
  const file = basename(appFolder.file);
  const problems = new ProblemList(folder.labelOf(file));
  const rootAgent = await new AgentBuilder(folder, registry, problems).build(file);
  const settings = await readAppSettings(folder, registry, problems);
  problems.throwIfAny();
  if (rootAgent === undefined) throw new DefinitionException([{ file: folder.labelOf(file), message: "No agent." }]);
  try {
    return createApp({ ...settings, name: appFolder.name, rootAgent });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new DefinitionException([{ file: folder.labelOf(file), message: error.message }], error);
  }
}
