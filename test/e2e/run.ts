import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

// npm run test:e2e -- [--target=processes|cluster|<url>] [options of vitest]. With a target only the suite for any
// gateway runs.
const { values, tokens } = parseArgs({
  args: process.argv.slice(2),
  options: { target: { type: "string" } },
  strict: false,
  tokens: true,
});
const own = new Set(
  tokens.flatMap((token) =>
    token.kind === "option" && token.name === "target"
      ? [token.index, ...(token.inlineValue ? [] : [token.index + 1])]
      : [],
  ),
);
const rest = process.argv.slice(2).filter((_, index) => !own.has(index));
const target = typeof values["target"] === "string" ? values["target"] : undefined;
const files = target === undefined ? [] : ["test/e2e/platform.test.ts"];
const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--project=e2e", ...files, ...rest], {
  stdio: "inherit",
  env: { ...process.env, ...(target !== undefined && { E2E_TARGET: target }) },
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
