import type { Requirement } from "#test/requirements/requirement.ts";

export const tenants: readonly Requirement[] = [
  {
    id: "tenants:export",
    line: 278,
    status: "verified",
    text: "How the data of an organisation or a person leaves the server is left open.",
    decided: "As lines of JSON that contain everything stored of the tenant or of one of its users, read page by page. A cut export is recognised by its missing last line, and continues from a cursor.",
  },
  { id: "tenants:delete:results-once", line: 278, status: "verified", text: "How often a user's deletion reads the results of evaluations of the tenant is left open.", decided: "Once in each process that is called for it, 100 in a step. A later deletion begins anew." },
  {
    id: "tenants:delete",
    line: 278,
    status: "verified",
    text: "How all data of an organisation or a person is deleted is left open.",
    decided: "Step by step, in every store; a repeated call continues a deletion that was interrupted. Nothing of other tenants and users changes, and the counts of stored data are given back.",
  },
  {
    id: "tenants:delete:evaluations",
    line: 278,
    status: "verified",
    text: "What becomes of evaluations that a server runs when the data of an organisation or a person is deleted is left open.",
    decided: "Those of the tenant, or those that the user has requested, end first, so that no worker writes anything of them afterwards, and are deleted with their cases, results and answers of judges. None is started until the deletion has ended.",
  },
  {
    id: "tenants:delete:users-of-cases",
    line: 278,
    status: "verified",
    text: "What becomes of cases that ran as a user, in evaluations of other requesters, when the data of that user is deleted is left open.",
    decided: "Evaluations that are open end as failed with DATA_IN_DELETION. These cases with their results, and all answers of judges of the evaluation, are deleted; so are their results in stored results of sets. The rest stays. An export of the user has those results. Sets belong to the app and stay.",
  },
  {
    id: "tenants:delete:credentials",
    line: 278,
    status: "verified",
    text: "What becomes of users' credentials for tools when their data is exported or deleted is left open.",
    decided: "A deletion of the user or the tenant deletes them first. An export leaves them out, because nobody but tools may read them.",
  },
  {
    id: "tenants:delete:nothing-begins",
    line: 278,
    status: "verified",
    text: "What happens to requests of a tenant whose data is being deleted is left open.",
    decided: "Its active runs are cancelled first. No session is created and no run begins until the deletion has ended: 409 DATA_IN_DELETION.",
  },
  {
    id: "tenants:ops",
    line: 278,
    status: "verified",
    text: "What an operator of one tenant may do is left open.",
    decided: "With the scope `ops` it manages the keys and the data of its own tenant; other tenants look absent. What concerns all tenants (metrics of the process, definitions of apps, other tenants' data) is for callers of the tenant `default`.",
  },
];
