import type { AppScope } from "#kit/names/app-scope.ts";
import type { EvalServiceDefinition } from "#proto/fairlead/eval/v1/EvalService.ts";
import { ownerOfCounts } from "#shared/quota/owner-of-counts.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";

/** The app whose evaluations a call names: they belong to no user. Only the first chunk of a stream names it. */
export const EVAL_OWNERS: OwnerRules<EvalServiceDefinition> = {
  ListData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  DeleteData: ({ tenantId }) => ({ tenantId, everyUser: true }),
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
};

function appOf({ tenantId, appName }: Required<AppScope>): AppScope | undefined {
  return appName === "" ? undefined : { tenantId, appName };
}
