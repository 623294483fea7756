import { expect, it } from "vitest";
import { readCards } from "./card-file.ts";

it("reads the members of each app's card", () => {
  const desk = { name: "Desk", defaultInputModes: ["text/plain"], defaultOutputModes: [], skills: [] };
  expect([...readCards({ apps: { desk, shop: {} } })]).toEqual([
    ["desk", desk],
    ["shop", {}],
  ]);
});

it.each([
  [undefined, "a map with `apps`"],
  [[], "a map with `apps`"],
  [{ apps: [] }, "a map with `apps`"],
  [{ apps: { desk: "Desk" } }, "apps.desk should be a map"],
  [{ apps: { desk: { url: "https://evil.test" } } }, 'apps.desk has the unknown member "url"'],
  [{ apps: { desk: { supportedInterfaces: [] } } }, '"supportedInterfaces"'],
  [{ apps: { desk: { securitySchemes: {} } } }, '"securitySchemes"'],
  [{ apps: { desk: { defaultInputModes: "text/plain" } } }, "apps.desk.defaultInputModes should be a list of texts"],
  [{ apps: { desk: { defaultOutputModes: [1] } } }, "apps.desk.defaultOutputModes should be a list of texts"],
])("refuses %j", (value, problem) => {
  expect(() => readCards(value)).toThrow(problem);
});
