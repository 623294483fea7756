import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { missingLines, type Step } from "./page-steps.ts";

const ROOT = join(import.meta.dirname, "../..");
const MARK = "@@step ";

/**
 * Carries out the steps of a page in a folder, in one shell. Commands of npm that would need the network are replaced:
 * the project gets this clone as `fairlead`, and its packages. Returns what went wrong, undefined if nothing did.
 */
export async function walkPage(steps: readonly Step[], folder: string, port: number): Promise<string | undefined> {
  const shims = join(folder, "shims");
  mkdirSync(shims);
  for (const [name, text] of Object.entries(SHIMS)) {
    writeFileSync(join(shims, name), text);
    chmodSync(join(shims, name), 0o755);
  }
  const work = join(folder, "work");
  mkdirSync(work);
  // `cd fairlead` leads here: a folder with the clone's agents, in which pages can write.
  mkdirSync(join(folder, "clones/fairlead"), { recursive: true });
  symlinkSync(join(ROOT, "agents"), join(folder, "clones/fairlead/agents"));
  const script = [PROLOGUE, ...steps.map((step, number) => `echo "${MARK}${number}"\n${scriptOf(step)}`)].join("\n");
  writeFileSync(join(folder, "walk.sh"), script.replaceAll("localhost:8000", `localhost:${port}`));
  const environment = {
    PORT: String(port),
    CLONE: ROOT,
    CLONE_DATA: join(folder, "data"),
    WALK: folder,
    CDPATH: `.:${join(folder, "clones")}`,
  };
  const { code, output } = await runScript(join(folder, "walk.sh"), work, {
    ...process.env,
    ...environment,
    PATH: `${shims}:${join(ROOT, "node_modules/.bin")}:${process.env["PATH"]}`,
  });
  const outputs = new Map(
    output
      .split(MARK)
      .slice(1)
      .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf("\n") + 1)]),
  );
  if (code !== 0) return `exit code ${code} in:\n${steps[outputs.size - 1]?.text}\n${[...outputs.values()].at(-1)}`;
  for (const [number, step] of steps.entries()) {
    const missing = step.kind === "commands" ? missingLines(step.expected, outputs.get(number) ?? "") : [];
    if (missing.length > 0) return `not printed: ${missing.join("\n")}\nby:\n${step.text}\n${outputs.get(number)}`;
  }
  return undefined;
}

function scriptOf(step: Step): string {
  switch (step.kind) {
    case "file":
      return `mkdir -p "$(dirname ${step.path})"\ncat > ${step.path} <<'END_OF_FILE'\n${step.text}END_OF_FILE`;
    case "commands":
      return step.text;
    case "server":
      return `serve <<'END_OF_SERVER'\n${step.text}END_OF_SERVER`;
    case "skipped":
      return ":";
    default:
      return step satisfies never;
  }
}

async function runScript(
  path: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn("bash", [path], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("close", resolve);
  const code = await promise;
  return { code, output: Buffer.concat(chunks).toString("utf8") };
}

/** A server runs until the next one starts or the page ends, in a process group of its own. */
const PROLOGUE = `set -euo pipefail
SERVER=""
stop_server() {
  [[ -n $SERVER ]] || return 0
  kill -TERM -- "-$SERVER" 2>/dev/null || true
  for _ in $(seq 100); do kill -0 -- "-$SERVER" 2>/dev/null || break; sleep 0.1; done
  kill -KILL -- "-$SERVER" 2>/dev/null || true
  SERVER=""
}
trap stop_server EXIT
serve() {
  stop_server
  cat > "$WALK/server.sh"
  setsid bash -euo pipefail "$WALK/server.sh" > "$WALK/server.log" 2>&1 &
  SERVER=$!
  for _ in $(seq 300); do
    curl -sf "localhost:$PORT/ready" > /dev/null && return 0
    kill -0 "$SERVER" 2>/dev/null || break
    sleep 0.1
  done
  cat "$WALK/server.log"
  return 1
}
`;

const SHIMS: Readonly<Record<string, string>> = {
  npx: `#!/usr/bin/env bash
set -euo pipefail
[[ $1 == fairlead ]] || { echo "npx $1 is not replaced"; exit 1; }
exec node "$CLONE/cli/fairlead.mjs" "\${@:2}"
`,
  npm: `#!/usr/bin/env bash
set -euo pipefail
REAL=$(PATH=\${PATH#*:} command -v npm)
case "$*" in
  ci) ;;
  "create fairlead"*) exec node "$CLONE/cli/fairlead.mjs" create "\${@:3}" ;;
  install*)
    mkdir -p node_modules/.bin node_modules/@types
    ln -sfn "$CLONE" node_modules/fairlead
    ln -sfn "$CLONE/cli/fairlead.mjs" node_modules/.bin/fairlead
    for name in zod vitest typescript @types/node; do ln -sfn "$CLONE/node_modules/$name" "node_modules/$name"; done
    for name in vitest tsc; do ln -sfn "$CLONE/node_modules/.bin/$name" "node_modules/.bin/$name"; done
    ;;
  start*) if [[ -f package.json ]]; then exec "$REAL" "$@"; else cd "$CLONE" && DATA_DIR=$CLONE_DATA exec "$REAL" "$@"; fi ;;
  *) exec "$REAL" "$@" ;;
esac
`,
};
