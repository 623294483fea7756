import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DefinitionFolder } from "#kit/definitions/yaml/definition-folder.ts";
import { parseEvalSetFile } from "#kit/evaluation/formats/eval-set-file.ts";
import { readEnvironment } from "#kit/platform/environment.ts";
import { textOfFile } from "#kit/platform/file-errors.ts";
import { OpenApiDocument } from "#kit/tools/openapi/open-api-document.ts";
import { verifies } from "#test/helpers/verifies.ts";

/** How editors and shells write the same text. */
const FORMS: readonly (readonly [editor: string, write: (text: string) => Uint8Array])[] = [
  ["most editors", (text) => Buffer.from(text)],
  ["Notepad, with a byte order mark", (text) => Buffer.from(`\ufeff${text}`)],
  ["editors on Windows, with CRLF", (text) => Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n")}`)],
  ["PowerShell, in UTF-16", (text) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ["others, in UTF-16 with the high byte first", (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
];

describe("a file as a person's editor writes it", () => {
  it.each(FORMS)("is read the same by each reader: %s", async (_, write) => {
    verifies("definitions:files:as-written");
    const folder = mkdtempSync(join(tmpdir(), "text-"));
    const save = (name: string, text: string): string => {
      writeFileSync(join(folder, name), write(text));
      return join(folder, name);
    };
    save("root_agent.yaml", "name: zoë\nmodel: m\n");
    const read = await new DefinitionFolder(folder, "app").read("root_agent.yaml");
    expect(read.ok && read.text.replaceAll("\r", "")).toBe("name: zoë\nmodel: m\n");
    const set = '{\n\t"eval_set_id": "s",\n\t"eval_cases": []\n}\n';
    expect(parseEvalSetFile(textOfFile(write(set)), "s.evalset.json").evalSetId).toBe("s");
    const spec = '{\n\t"openapi": "3.1.0",\n\t"paths": {}\n}\n';
    expect((await OpenApiDocument.read(textOfFile(write(spec)))).root["openapi"]).toBe("3.1.0");
    process.env["TEXT_OF_FILE_TEST_FILE"] = save("secret", "s3cret\n");
    expect(readEnvironment("TEXT_OF_FILE_TEST")).toBe("s3cret");
    delete process.env["TEXT_OF_FILE_TEST_FILE"];
  });

  it("is refused if it is neither UTF-8 nor UTF-16", () => {
    expect(() => textOfFile(Buffer.from([0x6e, 0xeb]))).toThrow(TypeError);
  });
});
