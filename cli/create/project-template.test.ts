import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { DEV_DEPENDENCIES } from "./project-template.ts";

it("names versions that this repository is tested with", () => {
  const { devDependencies } = packageJson;
  expect(DEV_DEPENDENCIES).toEqual({
    "@types/node": devDependencies["@types/node"],
    typescript: devDependencies.typescript,
    vitest: devDependencies.vitest,
  });
});
