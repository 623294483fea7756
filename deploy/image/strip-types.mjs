// Strips the types from our own code, in place. Names and lines stay as they are.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

for (const folder of ["adapters", "cli", "kit", "ports", "services"]) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith(".ts")) continue;
    const path = join(folder, name);
    writeFileSync(path, stripTypeScriptTypes(readFileSync(path, "utf8")));
  }
}
