import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { modelContent, userContent } from "../events/content.ts";
import { FunctionTool } from "../tools/function-tool.ts";
import { LlmRequest } from "./llm-request.ts";

const tool = (name: string, description = name) => new FunctionTool({ name, description, execute: () => 1 });

describe("LlmRequest", () => {
  it("holds a config and contents that can be replaced", () => {
    verifies("model:request:config", "model:request:contents");
    const request = new LlmRequest({ model: "m", config: { temperature: 0 } });
    expect([request.config, request.contents]).toEqual([{ temperature: 0 }, []]);
    request.contents.push(userContent("hi"));
    request.contents = [...request.contents, modelContent("ho")];
    request.config = { ...request.config, topK: 3 };
    expect([request.config, request.contents]).toEqual([
      { temperature: 0, topK: 3 },
      [userContent("hi"), modelContent("ho")],
    ]);
  });

  it("collects system instructions and returns them as a list and as one text", () => {
    verifies("model:request:append-instructions", "model:request:read-instructions");
    const request = new LlmRequest({ model: "m" });
    request.appendInstructions("second", "", "third");
    request.prependInstructions("first", "");
    expect(request.systemInstructions).toEqual(["first", "second", "third"]);
    expect(request.systemInstruction).toBe("first\n\nsecond\n\nthird");
    expect(new LlmRequest({ model: "m" }).systemInstruction).toBe("");
  });

  it("collects tools by name, where a later tool replaces an earlier one", () => {
    verifies("model:request:append-tools");
    const request = new LlmRequest<FunctionTool>({ model: "m" });
    request.appendTools(tool("a"), tool("b"));
    request.appendTools(tool("a", "another"));
    expect([...request.tools.keys()]).toEqual(["a", "b"]);
    expect(request.functionDeclarations).toEqual([
      { name: "a", description: "another" },
      { name: "b", description: "b" },
    ]);
  });
});
