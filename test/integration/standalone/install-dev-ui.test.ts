import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../../deploy/install-dev-ui.mjs", import.meta.url));
const REFUSAL =
  "Developer UI not installed: the package does not have the expected content (integrity check failed). " +
  "The server runs without it; retry with: npm run ui:install\n";

interface Workplace extends AsyncDisposable {
  readonly folder: string;
  install(
    ...argv: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

async function startWorkplace(): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), "install-ui-"));
  return {
    folder,
    install: (...argv) =>
      new Promise((resolve) => {
        const target = ["--dir", join(folder, "ui")];
        execFile(process.execPath, [SCRIPT, ...target, ...argv], (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
        });
      }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A package of the right form with other content. */
async function tamperedTarball(folder: string): Promise<string> {
  const browser = join(folder, "package", "dist", "browser");
  await mkdir(browser, { recursive: true });
  await writeFile(join(browser, "index.html"), "<script>steal()</script>");
  const tarball = join(folder, "tampered.tgz");
  await promisify(execFile)("tar", ["-czf", tarball, "-C", folder, "package"]);
  return tarball;
}

describe("installing the developer UI", () => {
  it("refuses a package whose content is not the pinned one, and keeps what was installed", async () => {
    await using workplace = await startWorkplace();
    const { folder, install } = workplace;
    await mkdir(join(folder, "ui"));
    await writeFile(join(folder, "ui", "index.html"), "the old one");
    const tarball = await tamperedTarball(folder);
    expect(await install("--tarball", tarball)).toEqual({ code: 1, stdout: "", stderr: REFUSAL });
    expect(await readFile(join(folder, "ui", "index.html"), "utf8")).toBe("the old one");
    expect((await readdir(folder)).sort()).toEqual(["package", "tampered.tgz", "ui"]);
  });

  it("does not fail an installation that it is an optional part of", async () => {
    await using workplace = await startWorkplace();
    const tarball = await tamperedTarball(workplace.folder);
    expect(await workplace.install("--optional", "--tarball", tarball)).toEqual({
      code: 0,
      stdout: "",
      stderr: REFUSAL,
    });
    expect((await readdir(workplace.folder)).sort()).toEqual(["package", "tampered.tgz"]);
  });

  it("does nothing when the pinned version is there", async () => {
    await using workplace = await startWorkplace();
    const integrity = /sha512-[\w+/=]+/.exec(await readFile(SCRIPT, "utf8"))?.[0];
    await mkdir(join(workplace.folder, "ui"));
    await writeFile(join(workplace.folder, "ui", ".installed.json"), JSON.stringify({ integrity }));
    const nowhere = ["--tarball", join(workplace.folder, "none.tgz")];
    expect(await workplace.install(...nowhere)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await workplace.install("--force", ...nowhere)).code).toBe(1);
  });
});
