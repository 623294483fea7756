import { expect, it } from "vitest";
import { createEvent, type Event } from "#kit/events/event.ts";
import { ToolEvents } from "./tool-events.ts";

const event = (id: string): Event => createEvent({ id, invocationId: "i", author: "a", timestamp: 0 });

it("gives events in the order in which they came, and then the result", async () => {
  const events = new ToolEvents();
  const log: string[] = [];
  const work = async (): Promise<string> => {
    await Promise.all([events.emit(event("1")), events.emit(event("2"))]);
    log.push("taken");
    await events.emit(event("3"));
    return "result";
  };
  const during = events.during(work());
  let step = await during.next();
  for (; step.done !== true; step = await during.next()) log.push(step.value.id);
  expect([...log, step.value]).toEqual(["1", "2", "taken", "3", "result"]);
});

it("keeps a tool waiting until its event was taken", async () => {
  const events = new ToolEvents();
  let isTaken = false;
  const during = events.during(
    events.emit(event("1")).then(() => {
      isTaken = true;
    }),
  );
  await during.next();
  expect(isTaken).toBe(false);
  await during.next();
  expect(isTaken).toBe(true);
});

it("gives what the work throws after what it has emitted", async () => {
  const events = new ToolEvents();
  void events.emit(event("1"));
  const during = events.during(Promise.reject(new Error("no")));
  expect((await during.next()).value).toEqual(event("1"));
  await expect(during.next()).rejects.toThrow("no");
});

it("refuses events after their reader has stopped, and ends when the work has", async () => {
  const events = new ToolEvents();
  const { promise, resolve } = Promise.withResolvers<void>();
  const refused: string[] = [];
  const work = promise.then(async () => {
    for (const id of ["2", "3"]) await events.emit(event(id)).catch(({ reason }) => refused.push(reason));
  });
  const first = events.emit(event("1")).catch(({ reason }) => refused.push(reason));
  const during = events.during(work);
  await during.next();
  const ending = during.return();
  resolve();
  await Promise.all([ending, first]);
  expect(refused).toEqual(["RUN_CANCELLED", "RUN_CANCELLED", "RUN_CANCELLED"]);
});
