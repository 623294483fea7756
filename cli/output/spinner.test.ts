import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { Spinner } from "./spinner.ts";

function terminal(isTTY: boolean) {
  const output = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY });
  return { output, written: () => String(output.read() ?? "") };
}

it("turns in a terminal until it is hidden, and clears its line", async () => {
  const { output, written } = terminal(true);
  using spinner = new Spinner(output);
  spinner.show();
  spinner.show();
  let all = "";
  await expect.poll(() => (all += written())).toMatch(/^\r.*⠋.*\r.*⠙/);
  spinner.hide();
  spinner.hide();
  all += written();
  expect(all.endsWith("\r\u001B[K")).toBe(true);
  expect(all.split("\u001B[K")).toHaveLength(2);
});

it("writes nothing where there is no terminal", () => {
  const { output, written } = terminal(false);
  using spinner = new Spinner(output);
  spinner.show();
  expect(written()).toBe("");
});
