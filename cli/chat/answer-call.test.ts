import { describe, expect, it } from "vitest";
import type { FunctionCall } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { answerCall } from "./answer-call.ts";

function confirmation(toolConfirmation: JsonObject, args: JsonObject = { amount: 250 }): FunctionCall {
  const originalFunctionCall = { id: "c1", name: "pay", args };
  return { id: "q1", name: "adk_request_confirmation", args: { originalFunctionCall, toolConfirmation } };
}

/** What is sent for what the user types, and what they have read. */
async function answered(call: FunctionCall, ...typed: readonly (string | undefined)[]) {
  const rest = [...typed];
  let read = "";
  const write = (text: string): void => {
    read += text;
  };
  const part = await answerCall(
    call,
    async (text) => {
      write(text);
      return rest.shift();
    },
    write,
  );
  return { response: part?.functionResponse, read };
}

describe("an answer typed in the terminal", () => {
  it.each([
    ["y", true],
    [" YES ", true],
    ["", false],
    ["n", false],
    ["yeah", false],
  ])("to a confirmation, %j, decides %j", async (typed, confirmed) => {
    const { response, read } = await answered(confirmation({ hint: "Large sum.", confirmed: false }), typed);
    expect(response).toEqual({ id: "q1", name: "adk_request_confirmation", response: { confirmed } });
    expect(read).toBe('? pay({"amount":250}) needs confirmation. Large sum.\nApprove? [y/N] ');
  });

  it("to a confirmation with a payload sends it as it is, or as it was changed", async () => {
    const call = confirmation({ hint: "", payload: { days: 3 } });
    expect((await answered(call, "y", "")).response?.response).toEqual({ confirmed: true, payload: { days: 3 } });
    const changed = await answered(call, "y", "{days", '{"days": 2}');
    expect(changed.response?.response).toEqual({ confirmed: true, payload: { days: 2 } });
    expect(changed.read).toContain(
      'payload {"days":3}\nPayload as JSON [Enter sends it as it is]   That is not JSON.\n',
    );
    expect((await answered(call, "n")).response?.response).toEqual({ confirmed: false });
  });

  it("to another call is an object, or a text as its result", async () => {
    const call = { id: "c2", name: "ask", args: { question: "When?" } };
    const { response, read } = await answered(call, "tomorrow");
    expect(response).toEqual({ id: "c2", name: "ask", response: { result: "tomorrow" } });
    expect(read).toBe('? ask({"question":"When?"}) waits for an answer.\nAnswer: ');
    expect((await answered(call, '{"day": 1}')).response?.response).toEqual({ day: 1 });
    expect((await answered(call, "[1]")).response?.response).toEqual({ result: "[1]" });
  });

  it("may be left out", async () => {
    expect((await answered(confirmation({}), undefined)).response).toBeUndefined();
    expect((await answered(confirmation({ payload: 1 }), "y", undefined)).response).toBeUndefined();
    expect((await answered({ id: "c", name: "ask" }, undefined)).response).toBeUndefined();
  });

  it("follows the whole call, without control characters of the terminal", async () => {
    const text = `${"x".repeat(500)}\u202e\u001b[2J`;
    const { read } = await answered(confirmation({ hint: "a\u0007b" }, { text }), "n");
    expect(read).toContain("x".repeat(500));
    expect(read.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
  });
});
