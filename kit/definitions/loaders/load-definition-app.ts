import type { App } from "#kit/core/app.ts";
import { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import { componentRegistry } from "#kit/definitions/registry/core-components.ts";
import type { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import type { AppFolder } from "./app-folder.ts";
import { loadConfigApp } from "./load-config-app.ts";
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
