import { expect, it } from "vitest";
import { type CallScope, currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { bindStorage } from "./bind-storage.ts";

const COUNT = { scope: "user", name: "ada" } as const;

it("reads counts for the caller's user and tenant, of all apps", async () => {
  const scopes: (CallScope | undefined)[] = [];
  const reader = bindStorage({
    readStorage: async () => {
      scopes.push(currentCallScope());
      return [];
    },
  });
  const principal = { tenantId: "acme", userId: "ada", scopes: ["app-state:write"] };
  const limited = { ...principal, appName: "echo", mayUse: () => false };
  await inCallScope({ principal: limited }, () => reader.readStorage([COUNT]));
  await reader.readStorage([COUNT]);
  expect(scopes).toEqual([{ principal }, undefined]);
});
