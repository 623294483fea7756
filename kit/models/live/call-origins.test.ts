import { expect, it } from "vitest";
import type { Content } from "#kit/events/content.ts";
import { CallOrigins } from "./call-origins.ts";

const calls = (...ids: readonly string[]) => ({
  content: { role: "model", parts: ids.map((id) => ({ functionCall: { id, name: "look" } })) },
});
const answers = (...ids: readonly string[]): Content => ({
  role: "user",
  parts: ids.map((id) => ({ functionResponse: { id, name: "look", response: {} } })),
});

it("knows which session has made a call, and from where in the log another one knows it", () => {
  const origins = new CallOrigins<string>();
  origins.note(calls("a"), "first", 5);
  const unknown = (content: Content, to: string, position: number) => origins.areUnknown(content, to, position);
  expect([unknown(answers("a"), "first", 0), unknown(answers("a"), "second", 4)]).toEqual([false, true]);
  expect([unknown(answers("a"), "second", 5), unknown(answers("never made"), "second", 0)]).toEqual([false, false]);
  // One unknown call is enough.
  origins.note(calls("b"), "second", 6);
  expect(unknown(answers("b", "a"), "second", 0)).toBe(true);
});

it("keeps a thousand calls, the newest ones", () => {
  const origins = new CallOrigins<string>();
  for (let number = 0; number < 1200; number += 1) origins.note(calls(`${number}`), "first", 1);
  const known = Array.from({ length: 1200 }, (_, number) => origins.areUnknown(answers(`${number}`), "second", 0));
  expect([known.filter(Boolean).length, known.indexOf(true)]).toEqual([1000, 200]);
});
