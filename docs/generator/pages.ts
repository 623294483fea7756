import { appConfigSchema } from "#kit/definitions/app/app-config-fields.ts";
import { agentConfigSchema } from "#kit/definitions/yaml/agent-config-schema.ts";
import { SECTIONS } from "#test/requirements/sections.ts";
import { configurationPage, loadSettings } from "./configuration-page.ts";
import { cookbookPages } from "./cookbook-pages.ts";
import { decisionsPage } from "./decisions-page.ts";
import { errorsPage } from "./errors-page.ts";
import { httpApiPage, loadOpenApi } from "./http-api-page.ts";
import { servicesPage } from "./services-page.ts";

/** Pages and schemas that are generated from the code, by their paths from `docs`. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  const settings = await loadSettings();
  return new Map([
    ...cookbookPages(),
    ["reference/errors.md", errorsPage()],
    ["reference/configuration.md", configurationPage(settings)],
    ["reference/services.md", servicesPage(settings)],
    ["../test/requirements/decisions.md", decisionsPage(SECTIONS)],
    ["reference/http-api.md", httpApiPage(await loadOpenApi())],
    ["../kit/definitions/agent-config.schema.json", `${JSON.stringify(agentConfigSchema(), null, 2)}\n`],
    ["../kit/definitions/app-config.schema.json", `${JSON.stringify(appConfigSchema(), null, 2)}\n`],
  ]);
}
