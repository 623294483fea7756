import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import packageJson from "../package.json" with { type: "json" };
import { Version } from "./version.ts";

it("names the version that the package has, under the product's name", () => {
  verifies("versioning:constant", "versioning:constant:name", "versioning:value");
  expect(Version.FAIRLEAD_VERSION).toBe(packageJson.version);
});
