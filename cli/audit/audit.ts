import { suggestion } from "#kit/schema/suggest.ts";
import type { ChainHead } from "#ports/audit/audit-chain.ts";
import { type ChainReport, verifyChain } from "#ports/audit/verify-chain.ts";
import type { StandaloneConfig } from "#services/standalone/config.ts";
import { UsageError } from "../parse-arguments.ts";
import { matchingLines } from "./matching-lines.ts";
import { type OpenedAudit, openAudit } from "./open-audit.ts";

export interface AuditCommand {
  readonly action: string | undefined;
  /** The words after the action: files. */
  readonly paths: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  readonly config: StandaloneConfig;
  readonly stdin: AsyncIterable<Buffer>;
  readonly print: (line: string) => void;
}

const ACTIONS = ["verify", "export"] as const;

/** Runs `fairlead audit …` and returns the exit code. Throws `UsageError` for wrong arguments. */
export async function audit(command: AuditCommand): Promise<number> {
  const { action, flags } = command;
  if (action !== "verify" && action !== "export") throw unknownAction(action);
  await using stack = new AsyncDisposableStack();
  const opened = await openAudit({ ...command, isMixed: flags.has("--in-log"), stack });
  // Awaited here: what was opened is closed when this function returns.
  return action === "verify" ? await verify(opened, command) : await exportRecords(opened, command);
}

async function verify({ lines, options, notes }: OpenedAudit, { flags, print }: AuditCommand): Promise<number> {
  const given = flags.get("--head");
  const heads = given === undefined ? options.heads : [...options.heads, readHead(given)];
  const found = await verifyChain(lines, { ...options, heads, ...(flags.has("--partial") && { isPartial: true }) });
  const report = { ...found, notes: [...found.notes, ...(given === undefined ? notes : [])] };
  print(flags.has("--json") ? JSON.stringify(report, null, 2) : reportText(report));
  return report.problem === undefined ? 0 : 1;
}

async function exportRecords({ lines }: OpenedAudit, { flags, print }: AuditCommand): Promise<number> {
  for await (const line of matchingLines(lines, flags)) print(line);
  return 0;
}

function reportText({ chains, notes, problem }: ChainReport): string {
  const whole = chains.map(
    ({ chain, first, seq, sha256 }) =>
      `Chain ${chain}: records ${first} to ${seq} are whole. Head: ${chain}/${seq}/${sha256}`,
  );
  const empty = chains.length === 0 && problem === undefined ? ["There are no audit records."] : [];
  return [...whole, ...empty, ...notes.map((note) => `Note: ${note}`), ...(problem ? [`Broken: ${problem}`] : [])].join(
    "\n",
  );
}

const HEAD = /^([^/]+)\/([1-9]\d{0,14})\/([0-9a-f]{64})$/;

function readHead(text: string): ChainHead {
  const [, chain = "", seq = "", sha256 = ""] = HEAD.exec(text) ?? [];
  if (chain === "") throw new UsageError("--head needs the head that an earlier check printed: chain/number/digest.");
  return { chain, seq: Number(seq), sha256 };
}

function unknownAction(action: string | undefined): UsageError {
  if (action === undefined) return new UsageError(`Usage: fairlead audit ${ACTIONS.join("|")} [file…]`);
  const hint = suggestion(action, ACTIONS) || `: use one of ${ACTIONS.join(", ")}.`;
  return new UsageError(`There is no command "audit ${action}"${hint}`);
}
