import { configurationPage, loadSettings } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";
import { httpApiPage, loadOpenApi } from "./http-api-page.ts";

/** The pages of the reference that are made from the code, by their names in this folder. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["errors.md", errorsPage()],
    ["configuration.md", configurationPage(await loadSettings())],
    ["http-api.md", httpApiPage(await loadOpenApi())],
  ]);
}
