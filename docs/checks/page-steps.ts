/** What a reader of a page does, in the order of the page. */
export type Step =
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | { readonly kind: "commands"; readonly text: string; readonly expected: readonly string[] }
  | { readonly kind: "server"; readonly text: string }
  | { readonly kind: "skipped"; readonly text: string; readonly reason: string };

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;
const FILE_NAMED = /`([\w./-]+\.\w+)`:\s*$/;
const MARK = /<!-- (server|not run: (.+)) -->\s*$/;

/**
 * The steps of a page: blocks of shell commands, and blocks that the line before names as a file (`path.ts`:). A comment
 * before a block of commands marks one that starts a server, `<!-- server -->`, and one that cannot be run here, with
 * the reason: `<!-- not run: needs a key -->`. A block `text` after commands is what they have to print; `…` stands for
 * anything.
 */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const { 0: whole, 1: language = "", 2: text = "", index } of page.matchAll(FENCE)) {
    const before = page.slice(end, index);
    const last = steps.at(-1);
    end = index + whole.length;
    if (language === "bash") steps.push(commandsStep(before, text));
    else if (language === "text" && before.trim() === "" && last?.kind === "commands")
      steps[steps.length - 1] = { ...last, expected: text.trimEnd().split("\n") };
    else {
      const path = FILE_NAMED.exec(before)?.[1];
      if (path !== undefined) steps.push({ kind: "file", path, text });
    }
  }
  return steps;
}

function commandsStep(before: string, text: string): Step {
  const [, mark, reason] = MARK.exec(before) ?? [];
  if (reason !== undefined) return { kind: "skipped", text, reason };
  return mark === "server" ? { kind: "server", text } : { kind: "commands", text, expected: [] };
}

/** The expected lines that an output does not have. */
export function missingLines(expected: readonly string[], output: string): readonly string[] {
  return expected.filter((line) => {
    const pattern = line.trim().split("…").map(RegExp.escape).join(".*");
    return !new RegExp(pattern).test(output);
  });
}
