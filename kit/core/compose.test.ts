import { describe, expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { callAll, firstAnswer, ownLinks } from "./compose.ts";
import type { Link } from "./context/plugin-chains.ts";

function link(owner: string, call: (...args: readonly unknown[]) => unknown): Link<readonly unknown[], unknown> {
  return { owner, call };
}

describe("firstAnswer", () => {
  it.each([[null], [undefined], [Promise.resolve(null)], [Promise.resolve()]])(
    "calls the next link after a callback that returns nothing, as %j does",
    async (nothing) => {
      const links = [link("a", () => nothing), link("b", () => "answer")];
      expect(await firstAnswer("hook", links)).toBe("answer");
    },
  );

  it.each([[false], [0], [""]])("takes %j for an answer and calls no other link", async (answer) => {
    const links = [
      link("a", () => answer),
      link("b", () => {
        throw new Error("called");
      }),
    ];
    expect(await firstAnswer("hook", links)).toBe(answer);
  });

  it("passes the same arguments to each link, one after the other", async () => {
    const args = [{ a: 1 }, ["b"], new Error("c")];
    const seen: (readonly unknown[])[] = [];
    const gate = Promise.withResolvers<void>();
    const links = [
      link("a", async (...given) => {
        await gate.promise;
        seen.push(given);
      }),
      link("b", (...given) => void seen.push(given)),
    ];
    setImmediate(gate.resolve);
    expect(await firstAnswer("hook", links, ...args)).toBeUndefined();
    expect(seen).toHaveLength(2);
    for (const given of seen) {
      expect(given).toHaveLength(3);
      for (const [index, value] of given.entries()) expect(value).toBe(args[index]);
    }
  });

  it("waits for promises of other libraries", async () => {
    const foreign = { then: (resolve: (value: string) => void) => setImmediate(resolve, "answer") };
    expect(await firstAnswer("hook", [link("a", () => foreign)])).toBe("answer");
  });

  it("fails with an error that names the owner and the hook, and keeps a PlatformError as it is", async () => {
    const broken = new TypeError("broken");
    const fail = (error: unknown) =>
      firstAnswer("hook", ownLinks("helper", [() => Promise.reject(error)])).catch((thrown: unknown) => thrown);
    expect(await fail(broken)).toMatchObject({
      reason: "CALLBACK_FAILED",
      message: 'Agent "helper" failed in hook.',
      logDetail: "broken",
      cause: broken,
    });
    const throwing = () => {
      throw broken;
    };
    await expect(firstAnswer("hook", ownLinks("helper", [throwing]))).rejects.toMatchObject({ cause: broken });
    expect(await fail("just text")).toMatchObject({ logDetail: "just text" });
    const own = new PlatformError("RUN_CANCELLED", "enough");
    expect(await fail(own)).toBe(own);
  });
});

describe("callAll", () => {
  it("calls each link with the same arguments, whatever the others do, and returns what was thrown", async () => {
    const argument = { a: 1 };
    const seen: unknown[] = [];
    const fail = link("a", (given) => {
      seen.push(given);
      throw new Error("broken");
    });
    const errors = await callAll("hook", [fail, link("b", (given) => void seen.push(given)), fail], argument);
    const failure = { message: "a failed in hook.", logDetail: "broken" };
    expect(errors).toMatchObject([failure, failure]);
    expect(seen).toHaveLength(3);
    for (const given of seen) expect(given).toBe(argument);
  });
});
