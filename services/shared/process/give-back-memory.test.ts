import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { giveBackMemory } from "./heap.ts";

it("collects unreachable objects, and nothing else", async () => {
  const held = { text: "held" };
  const refs = [new WeakRef(held), new WeakRef({ text: "not held" })];
  // An object stays at least as long as the turn of the event loop in which a reference to it was made.
  await setImmediate();
  await giveBackMemory();
  expect(refs.map((ref) => ref.deref())).toEqual([held, undefined]);
});
