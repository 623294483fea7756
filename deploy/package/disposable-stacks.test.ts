import { describe, expect, it } from "vitest";
import { ponyfills } from "./disposable-stacks.ts";

/** Node's own stacks have to pass the same tests, so that the tests demand nothing else than the standard. */
const STACKS = [
  ["Node's", { DisposableStack, AsyncDisposableStack }],
  [
    "the package's",
    {
      DisposableStack: ponyfills.DisposableStackPonyfill,
      AsyncDisposableStack: ponyfills.AsyncDisposableStackPonyfill,
    },
  ],
] as const;

describe.each(STACKS)("%s stacks", (_owner, { DisposableStack, AsyncDisposableStack }) => {
  it("dispose in reverse order, once", () => {
    const calls: string[] = [];
    const stack = new DisposableStack();
    const used = stack.use({ [Symbol.dispose]: () => void calls.push("use") });
    stack.defer(() => void calls.push("defer"));
    expect(stack.adopt("value", (value) => void calls.push(`adopt ${value}`))).toBe("value");
    expect(stack.use(undefined)).toBeUndefined();
    stack.dispose();
    stack[Symbol.dispose]();
    expect([calls, stack.disposed, typeof used]).toEqual([["adopt value", "defer", "use"], true, "object"]);
    expect(() => stack.defer(() => undefined)).toThrow(ReferenceError);
    expect(() => stack.use(null)).toThrow(ReferenceError);
    expect(() => stack.move()).toThrow(ReferenceError);
  });

  it("wait for each callback before the next", async () => {
    const calls: string[] = [];
    const later = (name: string) => async () => {
      await Promise.resolve();
      calls.push(name);
    };
    {
      await using stack = new AsyncDisposableStack();
      stack.use({ [Symbol.asyncDispose]: later("async") });
      stack.use({ [Symbol.dispose]: () => void calls.push("sync") });
      stack.adopt(1, later("adopt"));
      stack.defer(later("defer"));
    }
    expect(calls).toEqual(["defer", "adopt", "sync", "async"]);
  });

  it("call all callbacks when some throw, and throw an error with the suppressed ones", async () => {
    const calls: string[] = [];
    const stack = new AsyncDisposableStack();
    stack.defer(() => void calls.push("last"));
    stack.defer(() => {
      throw new Error("second");
    });
    stack.defer(async () => {
      throw new Error("first");
    });
    const error = await stack.disposeAsync().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: "SuppressedError",
      error: { message: "second" },
      suppressed: { message: "first" },
    });
    const single = new DisposableStack();
    single.defer(() => {
      throw new Error("only");
    });
    expect(() => single.dispose()).toThrow("only");
    expect(calls).toEqual(["last"]);
  });

  it("move what they hold", async () => {
    const calls: string[] = [];
    const sync = new DisposableStack();
    sync.defer(() => void calls.push("sync"));
    const movedSync = sync.move();
    sync.dispose();
    const stack = new AsyncDisposableStack();
    stack.defer(() => void calls.push("async"));
    const moved = stack.move();
    await stack.disposeAsync();
    expect([calls, stack.disposed, moved.disposed]).toEqual([[], true, false]);
    movedSync.dispose();
    await moved.disposeAsync();
    expect(calls).toEqual(["sync", "async"]);
  });

  it("refuse a value that cannot be disposed", () => {
    // The types forbid it.
    const value = {} as Disposable;
    expect(() => new DisposableStack().use(value)).toThrow(TypeError);
    expect(() => new AsyncDisposableStack().use(value)).toThrow(TypeError);
  });
});
