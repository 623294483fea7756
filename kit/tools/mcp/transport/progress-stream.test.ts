import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { ProgressStream } from "./progress-stream.ts";

it("streams 10,000 reports of a call, and then its result", async () => {
  verifies("tools:mcp:hostile-answers");
  const stream = new ProgressStream<number>(async (report) => {
    for (let index = 1; index <= 10_050; index += 1) {
      report(index);
      await new Promise(setImmediate);
    }
    return "done";
  });
  const reports = stream[Symbol.asyncIterator]();
  let count = 0;
  let next = await reports.next();
  for (; next.done !== true; next = await reports.next()) count += 1;
  expect([count, next.value]).toEqual([10_000, "done"]);
});
