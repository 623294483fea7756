import { access } from "node:fs/promises";
import { join } from "node:path";
import type { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import { DefinitionException } from "#kit/definitions/yaml/definition-problem.ts";
import { isAbsent } from "#kit/platform/file-errors.ts";
import type { AppFolder } from "./app-folder.ts";
import { importModule } from "./import-module.ts";

/** A folder has one of them at most: the first is taken. */
export const COMPONENT_FILES = ["components.ts", "components.js", "components.mjs"] as const;

/**
 * Lets a definition's folder provide its own tools and callbacks: its `components.ts` exports
 * `registerComponents(registry)`. Definitions cannot name that file or any other code, so an author who may only write
 * definitions cannot run code with it.
 */
export async function registerAppComponents(
  { name, directory }: AppFolder,
  registry: ComponentRegistry,
): Promise<void> {
  for (const file of COMPONENT_FILES) {
    const path = join(directory, file);
    if (!(await exists(path))) continue;
    const register = (await importModule(path, `${name}/${file}`)).get("registerComponents");
    if (typeof register !== "function")
      throw new DefinitionException([{ file: `${name}/${file}`, message: 'should export "registerComponents".' }]);
    await register(registry);
    return;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
