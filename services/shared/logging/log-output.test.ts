import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { LogOutput } from "./log-output.ts";

const PIPE_BYTES = 65_536;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "log-output-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A pipe whose ends never block. */
function pipe() {
  const path = join(folder(), "pipe");
  execFileSync("mkfifo", [path]);
  const openReader = (): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let reader: number | undefined = openReader();
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const closeReader = (): void => {
    if (reader !== undefined) closeSync(reader);
    reader = undefined;
  };
  onTestFinished(() => {
    closeReader();
    closeSync(writer);
  });
  const read = (): string => {
    const bytes = Buffer.alloc(PIPE_BYTES);
    try {
      return bytes.toString("utf8", 0, readSync(reader ?? -1, bytes));
    } catch {
      // Nothing has been written since the last call.
      return "";
    }
  };
  return {
    writer,
    read,
    closeReader,
    openReader: () => {
      reader = openReader();
    },
  };
}

describe("LogOutput", () => {
  it("writes lines in order, and at once when it is flushed", async () => {
    const path = join(folder(), "log");
    const file = openSync(path, "a");
    onTestFinished(() => closeSync(file));
    const output = new LogOutput(file);
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index} of ünïcode\n`);
    for (const line of lines.slice(0, 500)) output.write(line);
    await expect.poll(() => readFileSync(path, "utf8")).toBe(lines.slice(0, 500).join(""));
    for (const line of lines.slice(500)) output.write(line);
    output.flushSync();
    await expect
      .poll(() => readFileSync(path, "utf8").split("\n").toSorted())
      .toEqual(lines.join("").split("\n").toSorted());
  });

  it("ends a flush, and drops all lines, when nobody reads them any more", () => {
    const { writer, read, closeReader, openReader } = pipe();
    const output = new LogOutput(writer);
    closeReader();
    output.write("one\n");
    output.write("two\n");
    output.flushSync();
    openReader();
    output.write("three\n");
    output.flushSync();
    // The first line may be on its way to the system until the reader is back.
    expect(["", "one\n"]).toContain(read());
  });

  it("keeps lines for a reader that stops, up to a limit", async () => {
    verifies("platform:output");
    const { writer, read } = pipe();
    const output = new LogOutput(writer);
    const line = `${"x".repeat(1023)}\n`;
    const kept = 16 * 1024;
    // The first line is being written, and does not wait.
    for (let index = 0; index < kept + 1000; index += 1) output.write(line);
    output.flushSync();
    let text = "";
    await expect
      .poll(() => {
        for (let part = read(); part !== ""; part = read()) text += part;
        return text.length;
      })
      .toBeGreaterThan(0);
    output.write("the end\n");
    await expect
      .poll(() => {
        text += read();
        return text.endsWith("the end\n");
      })
      .toBe(true);
    expect(text.length).toBeLessThanOrEqual((kept + 1) * line.length + "the end\n".length);
  });
});
