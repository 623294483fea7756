import { expect, it } from "vitest";
import { type CallScope, currentCallScope, inCallScope } from "#shared/security/call-scope.ts";
import { bindStorage } from "./bind-storage.ts";

const COUNT = { scope: "user", name: "ada" } as const;

it("reads counts for the caller's user and tenant, of all apps", async () => {
  const scopes: (CallScope | undefined)[] = [];
  const read = async () => {
    scopes.push(currentCallScope());
    return [];
  };
  const metered = { readStored: read };
  const readers = bindStorage({
    sessions: { readStorage: read },
    artifacts: metered,
    memory: metered,
    evaluations: metered,
  });
  const principal = { tenantId: "acme", userId: "ada", scopes: ["app-state:write"] };
  const limited = { ...principal, appName: "echo", mayUse: () => false };
  const { sessions, artifacts, memory, evaluations } = readers;
  await inCallScope(
    { principal: limited },
    () => sessions?.readStorage([COUNT]) ?? Promise.reject(new Error("absent")),
  );
  for (const store of [artifacts, memory, evaluations])
    await inCallScope({ principal: limited }, () => store?.readStored([COUNT]) ?? Promise.reject(new Error("absent")));
  await sessions?.readStorage([COUNT]);
  expect(scopes).toEqual([{ principal }, { principal }, { principal }, { principal }, undefined]);
});
