import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { createStaticFile } from "./static-files.ts";

it("a compressed file that could not be read once is read by the next request", async () => {
  const text = "x".repeat(4096);
  const folder = agentsFolder({ "page.html": text });
  const file = createStaticFile(join(folder.path, "page.html"));
  rmSync(join(folder.path, "page.html"));
  await expect(file.read("gzip")).rejects.toThrow("ENOENT");
  folder.write("page.html", text);
  expect((await file.read("gzip")).encoding).toBe("gzip");
});
