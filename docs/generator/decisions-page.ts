import type { Requirement } from "#test/requirements/requirement.ts";

/** Rows by section, as `test/requirements/sections.ts` has them. */
type Sections = Readonly<Record<string, readonly Requirement[]>>;

const HEAD = `# Decisions on what the specification leaves open

Each row names a sentence of the specification that leaves a choice, or that TypeScript code follows in another way, and
the decision of this project. The rows come from this folder. A test cites the id of each row and proves it;
*not built yet* marks a decision on something that does not exist yet. Decisions on features that the specification does not
mention are in [beyond-the-specification.md](../../docs/design/beyond-the-specification.md).
`;

/** The reference of all decisions, made from the rows with `decided`. */
export function decisionsPage(sections: Sections): string {
  return HEAD + Object.entries(sections).map(formatSection).join("");
}

function formatSection([section, rows]: readonly [string, readonly Requirement[]]): string {
  const lines = rows.flatMap(({ id, text, decided, unbuilt }) =>
    decided === undefined
      ? []
      : [
          `| \`${id}\` | ${escapeCell(text)} | ${unbuilt === true ? "*Not built yet.* " : ""}${escapeCell(decided)} |\n`,
        ],
  );
  if (lines.length === 0) return "";
  return `\n## ${section}\n\n| id | specification | decision |\n| --- | --- | --- |\n${lines.join("")}`;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
