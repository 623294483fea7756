import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { DEV_DEPENDENCIES } from "./project-template.ts";
import { MCP } from "./templates/mcp.ts";

it("names versions that this repository is tested with", () => {
  const { dependencies, devDependencies } = packageJson;
  expect(DEV_DEPENDENCIES).toEqual({
    "@types/node": devDependencies["@types/node"],
    typescript: devDependencies.typescript,
    vitest: devDependencies.vitest,
  });
  const client = "@modelcontextprotocol/client";
  expect(MCP.dependencies).toEqual({ [client]: dependencies[client] });
});
