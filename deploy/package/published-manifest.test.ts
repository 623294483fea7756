import { join } from "node:path";
import { expect, it } from "vitest";
import { OPTIONAL_PACKAGES } from "#kit/optional-packages/optional-package.ts";
import { readCloneManifest } from "./clone-manifest.ts";
import { publishedManifest } from "./published-manifest.ts";

const ROOT = join(import.meta.dirname, "../..");

it("exports compiled modules with types, and the command", () => {
  const clone = readCloneManifest(ROOT);
  const published = publishedManifest({
    ...clone,
    exports: { "./kit": "./kit/index.ts", "./package.json": "./package.json" },
    bin: { fairlead: "./cli/fairlead.mjs" },
  });
  expect(published).toMatchObject({
    name: "fairlead",
    version: clone.version,
    exports: {
      "./kit": { types: "./dist/kit/index.d.ts", default: "./dist/kit/index.js" },
      "./package.json": "./package.json",
    },
    bin: { fairlead: "dist/cli/fairlead.js" },
    engines: { node: ">=22.16" },
  });
});

it("says where the sources are, if the clone does", () => {
  const clone = readCloneManifest(ROOT);
  expect(publishedManifest({ ...clone, repository: "github:acme/fairlead" })).toMatchObject({
    repository: "github:acme/fairlead",
  });
  expect(Object.keys(publishedManifest({ ...clone, homepage: undefined }))).not.toContain("homepage");
});

it("has no field of the clone that would act on a user's machine", () => {
  const fields = Object.keys(publishedManifest(readCloneManifest(ROOT)));
  for (const field of ["private", "scripts", "imports", "devDependencies", "optionalDependencies"])
    expect(fields).not.toContain(field);
});

it("makes the large packages optional, and keeps the others", () => {
  const clone = readCloneManifest(ROOT);
  const { dependencies, peerDependencies, peerDependenciesMeta } = publishedManifest(clone);
  const optional = Object.keys(OPTIONAL_PACKAGES).sort();
  expect(Object.keys(Object(peerDependencies)).sort()).toEqual(optional);
  expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional.map((name) => [name, { optional: true }])));
  const all = { ...Object(dependencies), ...Object(peerDependencies) };
  expect(all).toEqual({ ...clone.dependencies, "@types/node": ">=22" });
});
