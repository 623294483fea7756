import { expect, it } from "vitest";
import { ClientCache } from "./model-options.ts";

it("creates a client by the next call after a failed creation, and then keeps it", async () => {
  let calls = 0;
  const clients = new ClientCache(async () => {
    calls += 1;
    if (calls === 1) throw new Error("EMFILE");
    return calls;
  });
  await expect(clients.get({ key: "k" })).rejects.toThrow("EMFILE");
  expect([await clients.get({ key: "k" }), await clients.get({ key: "k" })]).toEqual([2, 2]);
});
