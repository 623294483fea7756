import { publishedSchema } from "#kit/definitions/yaml/config-shapes.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { APP_FIELDS } from "./app-config-fields.ts";

/**
 * JSON Schema of `app.yaml`, for editors: `# yaml-language-server: $schema=…`. Built from the shape that the file is
 * read by.
 */
export function appConfigSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Fairlead app settings",
    ...publishedSchema(APP_FIELDS),
  };
}
