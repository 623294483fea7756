import type { Requirement } from "#test/requirements/requirement.ts";

export const quotas: readonly Requirement[] = [
  {
    id: "quotas:requests",
    line: 319,
    status: "verified",
    text: "Quotas of requests are left open.",
    decided: "None without QUOTAS_FILE. With it, requests a minute by API key, user, app and tenant, counted before the body is read; more are refused with 429 QUOTA_EXCEEDED, Retry-After, and the fields RateLimit and RateLimit-Policy.",
  },
  { id: "quotas:own", line: 319, status: "verified", text: "Whose quota a request uses is left open.", decided: "The caller's own, whichever user the request names. A request that is refused for its credentials uses none." },
  { id: "quotas:streams", line: 319, status: "verified", text: "Quotas of open streams are left open.", decided: "None without QUOTAS_FILE. With it, streams over all processes; a stream's place is free when it ends, and that of a lost process after 30 s." },
  {
    id: "quotas:budgets",
    line: 319,
    status: "verified",
    text: "Budgets of tokens and money are left open.",
    decided: "None without QUOTAS_FILE. With it, tokens and USD a day and a month of UTC. A part is reserved before each call of a model and settled by what the call used; a call without room ends its run as failed with QUOTA_EXCEEDED, and a run whose budget is used up is refused with 429.",
  },
  { id: "quotas:unavailable", line: 319, status: "verified", text: "What happens while quotas cannot be counted is left open.", decided: "Requests, streams and runs are allowed, calls of models under a budget refused; `whenUnavailable` decides otherwise." },
  {
    id: "quotas:hostile-usage",
    line: 319,
    status: "verified",
    text: "What a call counts whose model reports no valid usage, or does not end, is left open.",
    decided: "Numbers that are none or below 0 count as 0, larger ones as at most 100,000,000, and a report that is not an object as none. A call ends with its run, whatever its model does.",
  },
  { id: "quotas:clock", line: 319, status: "verified", text: "What a clock that is set does to quotas is left open.", decided: "Set forward, a new window begins. Set back, what was used counts to the end of the window that it is then." },
  { id: "quotas:lost-runner", line: 319, status: "verified", text: "What happens to the reservations of a lost runner is left open.", decided: "They end after 30 s." },
  {
    id: "quotas:evaluations",
    line: 319,
    status: "verified",
    text: "Against which budgets judges and simulated users of evaluations count is left open.",
    decided:
      "As the turns: a part is reserved before each call and settled after it, for the API key, the app and the tenant of the evaluation's requester, and for its user unless it reaches all users. A refused call, also of a turn, ends the evaluation as failed with the reason; while counts cannot be reached it waits.",
  },
  { id: "quotas:budget-processes", line: 319, status: "gated", text: "By how much several runners may exceed a budget is left open.", decided: "By one call of each runner at most, of tokens and of money." },
  {
    id: "quotas:lost-runner-processes",
    line: 319,
    status: "gated",
    text: "What happens to the budget of calls that a lost runner was making is left open.",
    decided: "They count as reserved until their reservations end, and as nothing afterwards: what the model answered may be paid without being counted. The runs are recovered, and their new calls count.",
  },
  { id: "quotas:usage", line: 319, status: "verified", text: "How a caller reads what it has used is left open.", decided: "`GET /v1/usage`: each limit of the caller's key and user with what is used, reserved and left, and the reset; of any user, app and the tenant for callers with the scope `users:all`." },
  {
    id: "quotas:storage",
    line: 319,
    status: "verified",
    text: "Quotas of stored data are left open.",
    decided:
      "None without QUOTAS_FILE. With it, the number of sessions and the bytes of their content by user, app and tenant, counted in the commit of the data itself, so that deletions give back and nothing drifts. What has no room is refused with 429 QUOTA_EXCEEDED before anything changes; there is no time of a retry, because only deletions make room.",
  },
  {
    id: "quotas:stored-data",
    line: 319,
    status: "verified",
    text: "Whether stored artifacts, memory and evaluations have quotas is left open.",
    decided:
      "Versions and bytes of artifacts, entries and bytes of memory, and bytes of evaluations, by user, app and tenant; evaluations by app and tenant. Of parallel writes exactly as many succeed as have room. Stores that one process writes count in its memory, from the stored data itself; Firestore counts in the commit; Cloud Storage reserves before and gives back after, so that a lost process leaves a count too high and never too low.",
  },
  { id: "quotas:stored-data-run", line: 319, status: "verified", text: "What happens to a run whose files have no room is left open.", decided: "A tool that saves a file fails; a run whose answer has data that is stored as a file ends as failed with QUOTA_EXCEEDED." },
  { id: "quotas:storage-run", line: 319, status: "verified", text: "What happens to a run in progress when stored data reaches a quota is left open.", decided: "Its events are stored, so that no answer is lost; the next run is refused before it begins." },
  { id: "quotas:storage-earlier", line: 319, status: "verified", text: "How data from before a quota counts is left open.", decided: "A session counts from its first write after its scope has a limit, with all its bytes." },
  { id: "quotas:storage-embedders", line: 319, status: "verified", text: "How programs limit what they store is left open.", decided: "The option `storage` of the functions of `fairlead/stores`." },
  { id: "quotas:storage-usage", line: 319, status: "verified", text: "How a caller reads what it stores is left open.", decided: "`GET /v1/usage`, as other quotas, in one process and over six." },
  { id: "quotas:runs", line: 319, status: "verified", text: "Quotas of concurrent runs are left open.", decided: "None without QUOTAS_FILE. With it, runs over all processes by API key, user, app and tenant, counted like MAX_CONCURRENT_RUNS_PER_APP." },
];
