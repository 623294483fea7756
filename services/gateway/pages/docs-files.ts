import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { createStaticFile, listStaticFiles, type StaticFile } from "./static-files.ts";

const FOLDER = fileURLToPath(new URL("../docs-page/", import.meta.url));

/** Swagger UI's own files. This package has them without one that reports its installation to another host. */
const SWAGGER_UI = ["swagger-ui.css", "swagger-ui-bundle.js"] as const;

/** The files of the page that shows the API, by name. Its page is `index.html`. */
export function docsFiles(): ReadonlyMap<string, StaticFile> {
  const packages = createRequire(import.meta.url);
  const ui = SWAGGER_UI.map(
    (name) => [name, createStaticFile(packages.resolve(`@fastify/swagger-ui/static/${name}`))] as const,
  );
  return new Map([...ui, ...listStaticFiles(FOLDER)]);
}
