import { describe, expect, it } from "vitest";
import { parseOutput } from "./check-output.ts";

describe("parseOutput", () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    ['  {"a": 1}\n', { a: 1 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['\n```JSON  \r\n{"a": 1}```  \n', { a: 1 }],
    ["```\n\n[1]\n\n```", [1]],
    ['"```"', "```"],
  ])("reads %j", (text, value) => expect(parseOutput(text)).toEqual({ value }));

  it.each(["", "```", "```json\n```", "````\n1\n```", "```js\n1\n```", "Here: ```json\n1\n```"])(
    "finds no JSON in %j",
    (text) => expect(parseOutput(text)).toBeUndefined(),
  );
});
