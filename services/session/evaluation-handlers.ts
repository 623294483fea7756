import { fromTimestamp, toTimestamp } from "#adapters/grpc/messages/messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import { evalSessionPrefix } from "#ports/evaluation-jobs/eval-session-prefix.ts";
import type { AllowEvaluationRequest__Output } from "#proto/fairlead/session/v1/AllowEvaluationRequest.ts";
import type { GrantEvaluationRequest__Output } from "#proto/fairlead/session/v1/GrantEvaluationRequest.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import { invalidToken } from "#shared/security/signed-tokens.ts";
import type { EvaluationIssuer } from "./evaluation-issuer.ts";

/**
 * The gRPC handlers of the permits and grants of evaluations. Without an issuer, where principals are not required,
 * permits are empty and grants are refused.
 */
export function evaluationHandlers(issuer: EvaluationIssuer | undefined, handlers: GrpcHandlers) {
  return {
    AllowEvaluation: handlers.unary(async (request: AllowEvaluationRequest__Output) => {
      const { appName, userId, jobId, deadline } = request;
      assertIdentifier("appName", appName);
      assertIdentifier("jobId", jobId);
      const tenantId = tenantOf(fromTenantMember(request));
      const deadlineMs = fromTimestamp(deadline);
      const prefix = evalSessionPrefix(jobId);
      return { permit: issuer?.permit({ tenantId, appName, userId, prefix, deadlineMs }) ?? "" };
    }),
    GrantEvaluation: handlers.unary(async ({ key }: GrantEvaluationRequest__Output, { authority }) => {
      if (key === null) throw new PlatformError("INVALID_FIELD", "key is missing.", { details: { field: "key" } });
      if (issuer === undefined || authority.kind !== "permit") throw invalidToken();
      const { text, expiresAtMs } = issuer.grant(key, authority.expiresAtMs);
      return { grant: text, expires: toTimestamp(expiresAtMs) };
    }),
  };
}
