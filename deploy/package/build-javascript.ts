import { cpSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { compiledName } from "./clone-manifest.ts";

/** Files that compiled modules read, at the same place relative to them. */
const ASSETS = [
  "proto",
  "deploy/install-dev-ui.mjs",
  "services/gateway/console",
  "services/gateway/docs-page",
  "services/gateway/sign-in/page",
  "kit/definitions/agent-config.schema.json",
  "kit/definitions/app-config.schema.json",
];
const ASSET = /\.(?:proto|html|css|m?js|json)$/;

/**
 * Compiles the entries and all that they import into `output`, each module to a file at the same path, so that paths
 * relative to `import.meta` stay right. Packages are not compiled in. Returns the names of the packages that the result
 * imports.
 */
export async function buildJavaScript(
  root: string,
  entries: readonly string[],
  output: string,
): Promise<ReadonlySet<string>> {
  const stacks = join(root, "deploy/package/disposable-stacks.ts");
  await using build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [compiledName(entry), entry])),
    platform: "node",
    tsconfig: false,
    // Helpers for lowered syntax are compiled in.
    external: (id) => !/^(?:[./#\0]|\w:\\|@oxc-project\/runtime\/)/.test(id),
    transform: {
      // The oldest Node that the package supports: it has no `using`.
      target: "node22",
      inject: {
        AsyncDisposableStack: [stacks, "AsyncDisposableStack"],
        DisposableStack: [stacks, "DisposableStack"],
      },
    },
    onLog(level, log, report) {
      if (level === "warn") throw new Error(`The build of the package reports: ${log.message}`);
      report(level, log);
    },
  });
  const { output: chunks } = await build.write({
    dir: output,
    format: "esm",
    preserveModules: true,
    preserveModulesRoot: root,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  for (const asset of ASSETS) copyAsset(join(root, asset), join(output, asset));
  const imported = chunks.flatMap((chunk) =>
    chunk.type === "chunk" ? [...chunk.imports, ...chunk.dynamicImports] : [],
  );
  return new Set(imported.filter((id) => !/^(?:node:|\.)|\.js$/.test(id)).map(packageOf));
}

function copyAsset(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !/\.[^/.]+$/.test(path) || ASSET.test(path) });
}

/** The package of an import: `@scope/name/file` is `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
