import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { completionFor } from "./completion.ts";

/** What bash offers for the words, of which the last is incomplete. */
function offered(...words: readonly string[]): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), "completion-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const name of ["agents", "docs"]) mkdirSync(join(directory, name));
  const line = ["fairlead", ...words].map((word) => `'${word}'`).join(" ");
  const script = `${completionFor("bash")}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { cwd: directory, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion in bash", () => {
  it.each<readonly [readonly string[], readonly string[]]>([
    [["ser"], ["serve"]],
    [["run"], ["run", "runs", "runner"]],
    [["serve", "--wat"], ["--watch"]],
    [["serve", "--data-"], ["--data-dir"]],
    [["serve", "--no-dev"], ["--no-dev-ui"]],
    [["serve", "ag"], ["agents"]],
    [["run", "agents", "--res"], ["--resume"]],
    [["check", "--js"], ["--json"]],
    [
      ["create", "--"],
      ["--template", "--yaml", "--help", "--version"],
    ],
    [["runs", "ca"], ["cancel"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["help", "set"], ["settings"]],
    [["nothing", "a"], []],
  ])("offers for %j: %j", (words, expected) => {
    verifies("platform:command:completion");
    expect(offered(...words)).toEqual(expected);
  });
});

it("exists for zsh and fish, and for no other shell", () => {
  expect(completionFor("zsh")).toMatch(/bashcompinit[^]*complete -F _fairlead fairlead$/);
  expect(completionFor("fish")).toContain('complete -c fairlead -n "__fish_seen_subcommand_from serve" -l watch\n');
  expect(() => completionFor("bsh")).toThrow('There is no completion for "bsh": did you mean "bash"?');
});
