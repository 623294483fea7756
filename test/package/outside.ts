import { join } from "node:path";

/** The parts of the folder that `setup.ts` makes once for all tests. */
export interface Outside {
  readonly folder: string;
  /** A copy of the clone, whose npm package is packed. */
  readonly clone: string;
  readonly tarball: string;
  /** An empty project that has only the package installed. */
  readonly app: string;
  readonly nodes: readonly NodeRelease[];
}

export interface NodeRelease {
  readonly version: string;
  /** The program; absent if it could not be installed. */
  readonly program?: string;
  readonly reason?: string;
}

/** Fields that a release adds to package.json. */
export const PUBLISHER = {
  repository: "github:acme/fairlead",
  homepage: "https://github.com/acme/fairlead#readme",
  bugs: "https://github.com/acme/fairlead/issues",
};

export const OUTSIDE_VARIABLE = "PACKAGE_TEST_OUTSIDE";

export function outside(): Outside {
  // Written by setup.ts.
  return JSON.parse(process.env[OUTSIDE_VARIABLE] ?? "") as Outside;
}

/** The command of the package, as installed in the project. */
export function commandOf({ app }: Outside): string {
  return join(app, "node_modules/fairlead/dist/cli/fairlead.js");
}
