import { StreamResponse } from "@a2a-js/sdk";
import { expect, it } from "vitest";
import { CURSOR_EXTENSION } from "../tasks/protocol.ts";
import { UpdateTexts } from "./stream-updates.ts";

interface Given {
  readonly text?: string;
  readonly artifactId?: string;
  readonly event?: string;
  readonly append?: boolean;
  readonly cursor?: string;
}

function chunk({ text = "x", artifactId = "a", event = "e", append = true, cursor = "4.2" }: Given): StreamResponse {
  const parts = [{ text }];
  const metadata = { adk_author: 'a "parts":[{"text":""', adk_event_id: event, [CURSOR_EXTENSION]: { cursor } };
  const artifact = { artifactId, name: 'n "parts":[{"text":""}', parts, metadata: {} };
  return StreamResponse.fromJSON({ artifactUpdate: { taskId: "t", contextId: "c", artifact, append, metadata } });
}

it.each([
  ["chunks of one answer", [{ text: "one" }, { text: ' "two"\n}],', cursor: "4.3" }, { text: "", cursor: "4.10" }]],
  ["chunks of several agents in turn", [{ artifactId: "a" }, { artifactId: "b", event: "f" }, { artifactId: "a" }]],
  ["chunks of one artifact by two events", [{ event: "e" }, { event: "f" }]],
  ["a first chunk", [{ append: false }, { append: true }]],
])("writes %s as the SDK does", (_, given) => {
  const texts = new UpdateTexts();
  for (const update of given.map(chunk))
    expect(texts.textOf(update)).toBe(JSON.stringify(StreamResponse.toJSON(update)));
});

it("writes other updates as the SDK does", () => {
  const data = StreamResponse.fromJSON({ artifactUpdate: { artifact: { parts: [{ data: { a: 1 } }] }, append: true } });
  const status = StreamResponse.fromJSON({ statusUpdate: { taskId: "t", status: { state: "TASK_STATE_WORKING" } } });
  for (const update of [data, status])
    expect(new UpdateTexts().textOf(update)).toBe(JSON.stringify(StreamResponse.toJSON(update)));
});
