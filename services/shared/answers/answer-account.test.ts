import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AnswerAccount, type Room } from "./answer-account.ts";

const LIMITS = { maxBytes: 100, maxBytesOfUser: 40 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Settles what is admitted already. */
async function isAdmitted(wait: Promise<Room>): Promise<boolean> {
  return Promise.race([wait.then(() => true), vi.advanceTimersByTimeAsync(0).then(() => false)]);
}

describe("the account of answers", () => {
  it("admits what fits, up to the process's limit and the user's part of it", () => {
    const account = new AnswerAccount(LIMITS);
    const rooms = ["a", "b", "c"].map((user) => account.reader(user).take(30));
    expect(rooms.map((room) => room !== undefined)).toEqual([true, true, true]);
    expect(account.reader("a").take(11)).toBeUndefined();
    expect(account.reader("d").take(11)).toBeUndefined();
    expect(account.reader("a").take(10)).toBeDefined();
    expect(account.usedBytes).toBe(100);
    for (const room of rooms) room?.[Symbol.dispose]();
    expect(account.usedBytes).toBe(10);
  });

  it("gives back part of a room, and each byte once", () => {
    const account = new AnswerAccount(LIMITS);
    const room = account.reader("a").take(40);
    room?.shrink(15);
    expect(account.usedBytes).toBe(15);
    room?.shrink(30);
    expect(account.usedBytes).toBe(15);
    room?.[Symbol.dispose]();
    room?.[Symbol.dispose]();
    expect(account.usedBytes).toBe(0);
  });

  it("lets users take turns, however many of one user wait", async () => {
    const account = new AnswerAccount(LIMITS);
    const full = ["x", "y", "z"].map((user) => account.reader(user).take(33));
    const admitted: string[] = [];
    for (const user of ["a", "a", "a", "a", "b", "b"])
      void account
        .reader(user)
        .wait(33)
        .then((room) => {
          admitted.push(user);
          room[Symbol.dispose]();
        });
    await vi.advanceTimersByTimeAsync(0);
    expect(admitted).toEqual([]);
    full[0]?.[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(0);
    expect(admitted).toEqual(["a", "b", "a", "b", "a", "a"]);
  });

  it("keeps no small request ahead of a large one that waits for the process", async () => {
    const account = new AnswerAccount({ maxBytes: 100, maxBytesOfUser: 0 });
    const first = account.reader("a").take(60);
    const large = account.reader("b").wait(90);
    const small = account.reader("c").wait(10);
    expect([await isAdmitted(large), await isAdmitted(small), account.reader("d").take(1)]).toEqual([
      false,
      false,
      undefined,
    ]);
    first?.[Symbol.dispose]();
    expect([await isAdmitted(large), await isAdmitted(small)]).toEqual([true, true]);
  });

  it("lets others pass who waits for a part of its own user", async () => {
    const account = new AnswerAccount(LIMITS);
    account.reader("a").take(40);
    const own = account.reader("a").wait(20);
    const other = account.reader("b").wait(20);
    expect([await isAdmitted(own), await isAdmitted(other)]).toEqual([false, true]);
  });

  it("admits alone what is over a limit", async () => {
    const account = new AnswerAccount(LIMITS);
    const small = account.reader("a").take(1);
    const larger = account.reader("a").wait(150);
    expect(await isAdmitted(larger)).toBe(false);
    small?.[Symbol.dispose]();
    expect(await isAdmitted(larger)).toBe(true);
    expect(account.reader("b").take(1)).toBeUndefined();
  });

  it("refuses after the patience, with the limit that was in the way", async () => {
    const account = new AnswerAccount(LIMITS);
    const rooms = ["a", "b"].map((user) => account.reader(user).take(40));
    const refused = [account.reader("a").wait(20), account.reader("c").wait(30)].map((wait) =>
      wait.then(String, (error: unknown) => error),
    );
    await vi.advanceTimersByTimeAsync(5000);
    expect(await Promise.all(refused)).toMatchObject([
      { reason: "USER_ANSWERS_TOO_LARGE", httpStatus: 429, details: { limit: "MAX_ANSWER_BYTES_PER_USER" } },
      { reason: "ANSWERS_TOO_LARGE", httpStatus: 503, details: { limit: "MAX_ANSWER_BYTES", retryAfterSeconds: "2" } },
    ]);
    for (const room of rooms) room?.[Symbol.dispose]();
    expect([account.usedBytes, account.reader("c").take(40) !== undefined]).toEqual([0, true]);
  });

  it("lets an answer that has begun wait until its client leaves", async () => {
    const account = new AnswerAccount(LIMITS);
    const room = account.reader("a").take(40);
    const controller = new AbortController();
    const reader = account.reader("a");
    reader.begin(controller.signal);
    const wait = reader.wait(40);
    await vi.advanceTimersByTimeAsync(60_000);
    controller.abort(new Error("left"));
    await expect(wait).rejects.toThrow("left");
    room?.[Symbol.dispose]();
    expect(account.reader("a").take(40)).toBeDefined();
  });

  it("counts what stalled readers keep, and cuts off those that stall longest while others wait", async () => {
    const account = new AnswerAccount(LIMITS);
    const evicted: string[] = [];
    const stall = (name: string): void => {
      const room = account.reader(name).hold(30, () => {
        evicted.push(name);
        room[Symbol.dispose]();
      });
    };
    for (const name of ["a", "b", "c"]) stall(name);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([account.usedBytes, evicted]).toEqual([90, []]);
    const waits = account.reader("d").wait(35);
    await vi.advanceTimersByTimeAsync(1999);
    expect(evicted).toEqual([]);
    await vi.advanceTimersByTimeAsync(2001);
    await waits;
    expect(evicted).toEqual(["a", "b"]);
    expect(account.usedBytes).toBe(65);
  });

  it("has no limit at 0", () => {
    const account = new AnswerAccount({ maxBytes: 0, maxBytesOfUser: 0 });
    for (let count = 0; count < 10; count += 1) expect(account.reader("a").take(2 ** 30)).toBeDefined();
  });
});
