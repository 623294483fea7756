import { expect, it } from "vitest";
import { ApplicationIntegrationToolset } from "./application-integration-toolset.ts";

const PLACE = { project: "acme", location: "us-central1", serviceAccountJson: "{}" };

it.each([
  [{}, "`integration` or `connection`"],
  [{ integration: "a", connection: "b" }, "`integration` or `connection`"],
  [{ connection: "b" }, "`entityOperations`, `actions` or both"],
  [{ connection: "b", actions: [] }, "`actions` must be a list"],
  [{ connection: "b", entityOperations: {} }, "`entityOperations` must be a list"],
  [{ connection: "b", entityOperations: { a: ["purge"] } }, "create, update, delete, list and get"],
  [{ integration: "a", triggers: [""] }, "`triggers` must be a list"],
  [{ integration: "a", location: "evil.example.com/" }, "`location` must be the name"],
  [{ integration: "a", project: "../x" }, "`project` must be the name"],
  [{ integration: "a", timeoutMs: 0 }, "`timeoutMs` must be a whole number"],
  [{ connection: "a/../b", actions: ["c"] }, "`connection` must be the name"],
])("refuses the options %j", (options, message) => {
  expect(() => new ApplicationIntegrationToolset({ ...PLACE, ...options })).toThrow(message);
});
