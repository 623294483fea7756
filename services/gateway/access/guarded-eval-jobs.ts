import type { EvalJob, EvalJobKey } from "#kit/evaluation/jobs/eval-job.ts";
import { evalJobNotFound } from "#kit/evaluation/jobs/eval-job-rules.ts";
import type { EvalJobs } from "#kit/evaluation/jobs/eval-jobs.ts";
import { assertReach, EVERY_USER_SCOPE, mayReach, ownerOfRuns } from "#shared/security/principal.ts";
import { callingPrincipal, inCallersTenant } from "./guarded-port.ts";

/** The evaluations for requests: one of another requester is like one that does not exist. */
export function guardEvalJobs(jobs: EvalJobs): EvalJobs {
  const find = async (key: EvalJobKey): Promise<EvalJob | undefined> => {
    const job = await jobs.get(inCallersTenant(key));
    return job !== undefined && mayReach(callingPrincipal(), ownerOf(job)) ? job : undefined;
  };
  const own = async <Key extends EvalJobKey>(key: Key): Promise<Key> => {
    if ((await find(key)) === undefined) throw evalJobNotFound(key);
    return inCallersTenant(key);
  };
  return {
    describe: () => jobs.describe(),
    start: async (given) => {
      const job = inCallersTenant(given);
      assertReach(callingPrincipal(), ownerOf(job));
      return jobs.start(job);
    },
    get: find,
    list: async (request) => {
      const principal = callingPrincipal();
      const { appName = principal.appName, userId = onlyUser() } = request;
      const narrowed = {
        ...inCallersTenant(request),
        ...(appName !== undefined && { appName }),
        ...(userId !== undefined && { userId }),
      };
      const { mayUse, ...inAllApps } = principal;
      // Without an app, each job of the answer is checked.
      assertReach(appName === undefined ? inAllApps : principal, ownerOfRuns({ ...principal, appName, userId }));
      const page = await jobs.list(narrowed);
      return { ...page, jobs: page.jobs.filter((job) => mayUse === undefined || mayUse(job.appName)) };
    },
    listCases: async (request) => jobs.listCases(await own(request)),
    listResults: async (request) => jobs.listResults(await own(request)),
    watch: async function* (request, signal) {
      yield* jobs.watch(await own(request), signal);
    },
    cancel: async (key) => jobs.cancel(await own(key)),
  };
}

function ownerOf({ tenantId, appName, requester: { userId } }: Pick<EvalJob, "tenantId" | "appName" | "requester">) {
  return ownerOfRuns({ tenantId, appName, userId });
}

function onlyUser(): string | undefined {
  const { scopes, userId } = callingPrincipal();
  return scopes.includes(EVERY_USER_SCOPE) ? undefined : userId;
}
