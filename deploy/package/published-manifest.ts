import { OPTIONAL_PACKAGES } from "#kit/optional-packages/optional-package.ts";
import { type CloneManifest, compiledName } from "./clone-manifest.ts";

/** The folder of the package that holds what was compiled. */
export const OUTPUT = "dist";

/** Fields that the published package.json takes over as they are. */
const KEPT = [
  ...["name", "version", "description", "keywords", "license", "repository", "homepage", "bugs"],
  ...["type", "files"],
] as const;

/** The memory store needs SQLite with its full-text index, which Node's has since 22.16. */
const ENGINES = { node: ">=22.16" };

/** A user's project decides which release of Node its types describe. */
const TYPES_OF_NODE = { "@types/node": ">=22" };

/** The package.json that users get. What the clone and the image always have may be an optional peer in it. It installs no Node, runs no scripts, and exports compiled modules with types. */
export function publishedManifest(clone: CloneManifest): Readonly<Record<string, unknown>> {
  const dependencies = Object.entries(clone.dependencies);
  const isOptional = ([name]: readonly [string, string]) => Object.hasOwn(OPTIONAL_PACKAGES, name);
  return {
    ...Object.fromEntries(KEPT.filter((field) => clone[field] !== undefined).map((field) => [field, clone[field]])),
    engines: ENGINES,
    bin: mapValues(clone.bin, (source) => `${OUTPUT}/${compiledName(source)}.js`),
    exports: mapValues(clone.exports, (source) => {
      if (!source.endsWith(".ts")) return source;
      const compiled = `./${OUTPUT}/${compiledName(source)}`;
      return { types: `${compiled}.d.ts`, default: `${compiled}.js` };
    }),
    dependencies: { ...TYPES_OF_NODE, ...Object.fromEntries(dependencies.filter((entry) => !isOptional(entry))) },
    peerDependencies: Object.fromEntries(dependencies.filter(isOptional)),
    peerDependenciesMeta: Object.fromEntries(
      dependencies.filter(isOptional).map(([name]) => [name, { optional: true }]),
    ),
  };
}

function mapValues<Value>(
  record: Readonly<Record<string, string>>,
  map: (value: string) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
