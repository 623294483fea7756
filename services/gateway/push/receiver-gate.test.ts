import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { type ReceiverAnswer, ReceiverGate, ReceiverPaused } from "./receiver-gate.ts";

const HOOKS = { payer: "ada", host: "hooks.example.com" };

function createWorld() {
  const clock = new FixedClock();
  const gate = new ReceiverGate(clock);
  const open: ((answer: ReceiverAnswer) => void)[] = [];
  const call = (receiver = HOOKS) =>
    gate.call(receiver, () => {
      const { promise, resolve } = Promise.withResolvers<{ answer: ReceiverAnswer; result: undefined }>();
      open.push((answer) => resolve({ answer, result: undefined }));
      return promise;
    });
  const answer = async (count: number, with_: ReceiverAnswer = "answered") => {
    for (const end of open.splice(0, count)) end(with_);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, open, call, answer };
}

it("calls one host for one payer at most eight times at the same time", async () => {
  const { open, call, answer } = createWorld();
  const calls = Array.from({ length: 12 }, () => call());
  const others = [call({ ...HOOKS, payer: "bob" }), call({ ...HOOKS, host: "other.example.com" })];
  expect(open).toHaveLength(10);
  await answer(10);
  expect(open).toHaveLength(4);
  await answer(4);
  await Promise.all([...calls, ...others]);
});

it("calls all hosts for one payer at most 32 times at the same time", async () => {
  const { open, call, answer } = createWorld();
  const calls = Array.from({ length: 50 }, (_, index) => call({ payer: "ada", host: `h${index}.example.com` }));
  expect(open).toHaveLength(32);
  const bobs = call({ payer: "bob", host: "h.example.com" });
  expect(open).toHaveLength(33);
  await answer(33);
  await answer(50);
  await Promise.all([...calls, bobs]);
});

it("makes at most 512 calls at the same time", async () => {
  const { open, call, answer } = createWorld();
  const calls = Array.from({ length: 600 }, (_, index) => call({ payer: `user-${index % 30}`, host: `h${index}` }));
  expect(open).toHaveLength(512);
  await answer(512);
  await answer(88);
  await Promise.all(calls);
});

it("calls a silent receiver once after each pause, and others meanwhile", async () => {
  const { clock, open, call, answer } = createWorld();
  const first = Array.from({ length: 12 }, () => call());
  const settled = Promise.allSettled(first);
  await answer(8, "silent");
  // Those that waited for a place need not wait for another silence.
  const refused = (await settled).flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(refused).toHaveLength(4);
  expect(refused.every((error) => error instanceof ReceiverPaused)).toBe(true);
  await expect(call()).rejects.toThrow(ReceiverPaused);
  const other = call({ ...HOOKS, payer: "bob" });
  await answer(1);
  await other;
  clock.advance(60_000);
  const probe = call();
  await expect(call()).rejects.toThrow(ReceiverPaused);
  expect(open).toHaveLength(1);
  await answer(1);
  await probe;
  const calls = [call(), call()];
  expect(open).toHaveLength(2);
  await answer(2);
  await Promise.all(calls);
});
