import { expect, it } from "vitest";
import { RunsOfThisRunner } from "./runs-of-this-runner.ts";

it("cancels a run and waits for its end while it runs here", async () => {
  const cancelled: string[] = [];
  const turns = new RunsOfThisRunner();
  const leave = turns.enter("run", () => cancelled.push("run"));
  turns.cancel("run");
  turns.cancel("other");
  expect(cancelled).toEqual(["run"]);
  let hasEnded = false;
  const ended = turns.ended("run").finally(() => {
    hasEnded = true;
  });
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  leave();
  expect(await ended).toBe(true);
});

it("knows nothing of a run that has ended, or that never ran here", async () => {
  const cancelled: string[] = [];
  const turns = new RunsOfThisRunner();
  turns.enter("run", () => cancelled.push("run"))();
  turns.cancel("run");
  expect([await turns.ended("run"), await turns.ended("other"), cancelled]).toEqual([false, false, []]);
});
