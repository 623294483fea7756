import { expect, it } from "vitest";
import type { Content } from "./content.ts";
import { isMessage } from "./content.ts";

const response = { functionResponse: { id: "c", name: "look" } };

it.each<[boolean, Content | undefined]>([
  [false, undefined],
  [false, { role: "model", parts: [{ text: "hi" }] }],
  [false, { role: "user", parts: [response] }],
  [false, { role: "user", parts: [{ text: "So:" }, response] }],
  [true, { role: "user", parts: [{ text: "hi" }] }],
  [true, { role: "user" }],
])("is %s for %j", (expected, content) => expect(isMessage(content)).toBe(expected));
