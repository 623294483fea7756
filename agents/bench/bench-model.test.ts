import { LlmRequest, type LlmResponse, modelContent, userContent } from "fairlead/kit";
import { describe, expect, it } from "vitest";
import { BenchModel } from "./bench-model.ts";

async function ask(
  text: string,
  stream: boolean,
  signal = new AbortController().signal,
): Promise<readonly LlmResponse[]> {
  const contents = [userContent("n=9"), modelContent("x"), userContent(text), modelContent("y")];
  const request = new LlmRequest({ model: "bench", contents });
  return Array.fromAsync(new BenchModel().generateContentAsync(request, { stream, signal }));
}

describe("BenchModel", () => {
  it("streams the chunks that the newest message asks for, then the complete answer", async () => {
    const chunk = { content: modelContent("xx"), partial: true };
    expect(await ask("n=3 s=2", true)).toEqual([
      chunk,
      chunk,
      chunk,
      { content: modelContent("xxxxxx"), finishReason: "STOP" },
    ]);
  });

  it("ends in a short answer when that is asked for", async () => {
    expect((await ask("n=3 s=2 brief=1", true)).at(-1)).toEqual({ content: modelContent("ok"), finishReason: "STOP" });
  });

  it("gives one answer when it does not stream", async () => {
    expect(await ask("n=3 s=2", false)).toEqual([{ content: modelContent("xxxxxx"), finishReason: "STOP" }]);
  });

  it("does not stream a small answer", async () => {
    expect(await ask("small=1", true)).toEqual([{ content: modelContent("ok") }]);
  });

  it("gives as many events as asked for", async () => {
    expect(await ask("fill=3", false)).toEqual(Array(3).fill({ content: modelContent("ok") }));
  });

  it.each(["n=5", "n=5 d=60000"])("stops immediately when it is cancelled: %s", async (text) => {
    const reason = new Error("cancelled");
    await expect(ask(text, true, AbortSignal.abort(reason))).rejects.toThrow();
  });
});
