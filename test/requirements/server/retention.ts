import type { Requirement } from "#test/requirements/requirement.ts";

export const retention: readonly Requirement[] = [
  { id: "retention:sessions", line: 278, status: "verified", text: "Sessions whose last update is older than the file of retention allows are deleted with everything that a client's deletion of the session deletes." },
  { id: "retention:runs", line: 278, status: "verified", text: "Records of runs whose work ended before the time that the file of retention allows are deleted, in every store of sessions, while their session stays." },
  { id: "retention:artifacts", line: 278, status: "verified", text: "Versions of files, of sessions and of users, that are older than the file of retention allows are deleted, in every store of artifacts. Large data of messages stays with its session." },
  { id: "retention:memory", line: 278, status: "verified", text: "Entries of memory whose time is older than the file of retention allows are deleted, in every store of memory." },
  { id: "retention:results", line: 278, status: "verified", text: "Results of evaluations whose creation is older than the file of retention allows are deleted, in every store of evaluations." },
  { id: "retention:runs-in-progress", line: 278, status: "verified", text: "Retention deletes no session with a run that is executed, queued or waits for input, and no record of such a run or of one whose answer is such a run." },
  { id: "retention:rules", line: 278, status: "verified", text: "The file of retention sets times by app and by tenant. The first override that fits decides, and data without a time is kept. A fault is named with its line." },
  { id: "retention:counted", line: 278, status: "verified", text: "What retention deletes is counted, and is in the audit log before it is deleted." },
  { id: "retention:resumes", line: 278, status: "verified", text: "A pass that was interrupted at any place is continued by the next one: nothing begins in a session that is half deleted, and nothing of it stays." },
  { id: "retention:one-of-many", line: 278, status: "verified", text: "Of several gateways that share a store of idempotency keys, one makes the pass of a time; another makes the pass of one that was lost." },
  { id: "retention:off-costs-nothing", line: 278, status: "verified", text: "Without the setting nothing is deleted by age, and there is no timer for it. A pass does not look at kinds of data that have no time in the file." },
  { id: "retention:prune", line: 278, status: "verified", text: "A command makes one pass, or names what one would delete, with counts by app." },
];
