import { expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { Version } from "./version.ts";

it("names the version that the package has", () => {
  expect(Version.AGENTPLANE_VERSION).toBe(packageJson.version);
});
