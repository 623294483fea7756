import { expect, it } from "vitest";
import { closeAll } from "./close-all.ts";

function closable(closing: () => Promise<void> = async () => {}) {
  let closes = 0;
  return {
    closes: () => closes,
    close: () => {
      closes += 1;
      return closing();
    },
  };
}

it("closes each once, even if some fail, and throws the first failure when all are closed", async () => {
  const slow = Promise.withResolvers<void>();
  const [first, second, shared] = [new Error("first"), new Error("second"), closable(() => slow.promise)];
  const thrown = closable(() => {
    throw first;
  });
  const failed = closable(() => Promise.reject(second));
  let isDone = false;
  const closing = closeAll([thrown, failed, shared, shared]).finally(() => {
    isDone = true;
  });
  const again = closeAll([shared]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDone).toBe(false);
  slow.resolve();
  await expect(closing).rejects.toBe(first);
  await again;
  expect([thrown, failed, shared].map(({ closes }) => closes())).toEqual([1, 1, 1]);
});

it("closes again what is closed later, such as a connection that was opened anew", async () => {
  const connection = closable();
  await closeAll([connection]);
  await closeAll([connection]);
  expect(connection.closes()).toBe(2);
});
