import type { JsonObject } from "#kit/platform/json.ts";
import { APP_FIELDS } from "./app-config-fields.ts";
import { fieldsSchema } from "./config-fields.ts";

/**
 * JSON Schema of `app.yaml`, for editors: `# yaml-language-server: $schema=…`. Built from the table that the file is
 * read with.
 */
export function appConfigSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Agentplane app settings",
    ...fieldsSchema(APP_FIELDS),
  };
}
