import type { AppScope } from "#kit/names/app-scope.ts";
import type { EvalServiceDefinition } from "#proto/fairlead/eval/v1/EvalService.ts";
import type { StartEvaluationRequest__Output } from "#proto/fairlead/eval/v1/StartEvaluationRequest.ts";
import { ownerOfCounts } from "#shared/quota/owner-of-counts.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";
import { type Owner, ownerOfRuns } from "#shared/security/principal.ts";

/**
 * The app whose sets and results a call names: they belong to no user. Jobs belong to their requesters. Only the first
 * chunk of a stream names an app.
 */
export const EVAL_OWNERS: OwnerRules<EvalServiceDefinition> = {
  ListData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  DeleteData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  ListOldData: "no-user",
  DeleteOldData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  ListEvaluationData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  DeleteEvaluationData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  CreateEvalSet: appOf,
  ListEvalSets: appOf,
  GetEvalSet: ({ key }) => key ?? undefined,
  DeleteEvalSet: ({ key }) => key ?? undefined,
  ListEvalCases: ({ key }) => key ?? undefined,
  GetEvalCase: ({ key }) => key ?? undefined,
  AddEvalCase: ({ key }) => key ?? undefined,
  UpdateEvalCase: ({ key }) => key ?? undefined,
  DeleteEvalCase: ({ key }) => key ?? undefined,
  SaveEvalSetResult: appOf,
  ListEvalSetResults: appOf,
  GetEvalSetResult: appOf,
  ReadStored: ({ names }) => ownerOfCounts("names", names),
  DescribeEvaluations: "no-user",
  StartEvaluation: requesterOf,
  GetEvaluation: "by-handler",
  ListEvaluations: ownerOfRuns,
  ListEvaluationCases: "by-handler",
  ListEvaluationResults: "by-handler",
  WatchEvaluation: "by-handler",
  CancelEvaluation: "by-handler",
};

/** Later chunks name no owner. */
function requesterOf({ tenantId, appName, userId }: StartEvaluationRequest__Output): Owner | undefined {
  return appName === "" ? undefined : ownerOfRuns({ tenantId, appName, userId });
}

function appOf({ tenantId, appName }: Required<AppScope>): AppScope | undefined {
  return appName === "" ? undefined : { tenantId, appName };
}
