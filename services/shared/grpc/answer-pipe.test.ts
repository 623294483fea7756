import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { answerPipe } from "./answer-pipe.ts";

interface Answer {
  readonly number: number;
  readonly more?: boolean;
  readonly text: string;
}

/** A pipe whose requests the test answers by their numbers. */
function openPipe({ isOpen = false, count = 0 } = {}) {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const asked = new Map<number, PromiseWithResolvers<readonly Answer[]>>();
  const stop = new AbortController();
  let read = 0;
  const received: Answer[] = [];
  const messages = (async function* () {
    for (let number = 1; number <= count; number += 1) {
      read = number;
      yield { requests: [{ number }] };
    }
    if (isOpen) await left;
  })();
  const answers = answerPipe<{ number: number }, Answer>(messages, {
    answer: ({ number }) => {
      const pending = Promise.withResolvers<readonly Answer[]>();
      asked.set(number, pending);
      return pending.promise;
    },
    refusal: (number, { reason }) => ({ number, text: reason ?? "" }),
    bytesOf: () => 1,
    fieldsOf: ({ number }) => ({ number }),
    logger: silentLogger,
    signal: stop.signal,
  });
  const ended = (async () => {
    for await (const { answers: some } of answers) received.push(...some);
  })();
  const texts = async (): Promise<readonly string[]> => {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    return received.map(({ number, text }) => `${number} ${text}`);
  };
  const answer = (number: number, ...parts: readonly string[]): void =>
    asked
      .get(number)
      ?.resolve(parts.map((text, index) => ({ number, text, ...(index < parts.length - 1 && { more: true }) })));
  return { asked, answer, texts, ended, stop, leave, read: () => read };
}

it("answers in the order in which the answers are there, and those of many messages in turns", async () => {
  const pipe = openPipe({ count: 3 });
  await setImmediate();
  pipe.answer(3, "third");
  expect(await pipe.texts()).toEqual(["3 third"]);
  pipe.answer(1, "a", "b", "c");
  pipe.answer(2, "second");
  expect(await pipe.texts()).toEqual(["3 third", "1 a", "2 second", "1 b", "1 c"]);
  await pipe.ended;
});

it("answers a request that fails with its refusal, and the others as before", async () => {
  const pipe = openPipe({ count: 2 });
  await setImmediate();
  pipe.asked.get(1)?.reject(new PlatformError("SESSION_NOT_FOUND", "There is no such session."));
  pipe.answer(2, "fine");
  await pipe.ended;
  expect(await pipe.texts()).toEqual(["1 SESSION_NOT_FOUND", "2 fine"]);
});

it("reads no request beyond 256 in progress, until one is answered", async () => {
  const pipe = openPipe({ count: 300 });
  for (let turn = 0; turn < 600; turn += 1) await setImmediate();
  expect([pipe.asked.size, pipe.read()]).toEqual([256, 256]);
  pipe.answer(7, "done");
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  expect(pipe.asked.size).toBe(257);
  pipe.stop.abort();
});

it("ends at once if it is stopped while nothing is in progress, and after its answers otherwise", async () => {
  const idle = openPipe({ isOpen: true });
  idle.stop.abort();
  await idle.ended;
  const busy = openPipe({ isOpen: true, count: 1 });
  await setImmediate();
  busy.stop.abort();
  expect(await busy.texts()).toEqual([]);
  busy.answer(1, "late");
  await busy.ended;
  expect(await busy.texts()).toEqual(["1 late"]);
});
