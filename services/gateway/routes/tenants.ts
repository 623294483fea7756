import type { FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import { assertDataOwner, type DataOwner } from "#ports/tenants/data-owner.ts";
import type { RouteDeps } from "../deps.ts";
import { ENTRY_BYTES } from "../http/answer-bound.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";
import { type AnswerDeps, answersOf } from "../streams/answers-of.ts";
import { sendPieces } from "../streams/send-pieces.ts";
import { exportTenant } from "../tenants/export-tenant.ts";
import { inTenantOf, MAX_DELETIONS, TenantDesk } from "../tenants/tenant-desk.ts";

const ACCESS = { scope: "ops", owner: "tenant" } as const;
const TenantParams = Type.Object({ tenantId: Type.String({ description: "The tenant." }) });
const UserId = Type.Optional(Type.String({ description: "Only the data of this user." }));
const ExportQuery = Type.Object({
  userId: UserId,
  cursor: Type.Optional(Type.String({ description: "From the last line of the kind `cursor` that was read." })),
});
const DeleteQuery = Type.Object({
  userId: UserId,
  confirm: Type.Optional(Type.String({ description: "`default`, to delete everything of the tenant default." })),
});

const Count = Type.Optional(Type.Integer());
const DeletionSchema = Type.Object({
  tenantId: Type.String(),
  userId: Type.Optional(Type.String()),
  isDone: Type.Boolean({ description: "False: repeat the call. It continues where this one has ended." }),
  at: Type.Optional(Type.String({ description: "What it waits for, or which store it is at." })),
  deleted: Type.Object({
    credentials: Count,
    pushes: Count,
    schedules: Count,
    webhooks: Count,
    evaluationJobs: Count,
    artifacts: Count,
    memory: Count,
    evaluations: Count,
    sessions: Count,
    keys: Count,
  }),
});
const DeletionsSchema = Type.Object({
  deletions: Type.Array(
    Type.Object({ tenantId: Type.String(), userId: Type.Optional(Type.String()), startedTime: Type.Integer() }),
  ),
});

/** All data of a tenant or of one of its users: its export and its deletion. */
export function tenantRoutes(deps: RouteDeps): TypedRoutes {
  const desk = new TenantDesk(deps.unguarded);
  return async (app) => {
    app.get(
      "/v1/tenant-deletions",
      {
        schema: described({
          operationId: "listTenantDeletions",
          answer: () => 3 * MAX_DELETIONS * ENTRY_BYTES,
          access: ACCESS,
          tags: ["server"],
          summary: "List the deletions of tenants and users that have begun and not ended",
          response: answers({ 200: DeletionsSchema }),
          answerExamples: { "application/json": { deletions: [] } },
        }),
      },
      async (request) => {
        const { tenantId: own } = callerOf(request);
        const deletions = await desk.deletions();
        const shown = deletions.filter(({ tenantId }) => own === DEFAULT_TENANT || tenantId === own);
        return { deletions: shown.map(({ startedAtMs, ...owner }) => ({ ...owner, startedTime: startedAtMs })) };
      },
    );

    app.get(
      "/v1/tenants/:tenantId/export",
      {
        exposeHeadRoute: false,
        schema: described({
          operationId: "exportTenant",
          answer: "in-parts",
          access: ACCESS,
          tags: ["server"],
          summary: "Read everything that is stored of a tenant or of one of its users",
          description:
            "Lines of JSON: sessions with their events and runs, states, artifacts with their content, memory, evaluation sets and results, evaluations with the results of their cases, schedules, webhooks, API keys without their secrets. The last line has the kind `end`; without it the export was cut off, and continues with the newest `cursor`. Callers of other tenants than `default` read their own.",
          errors: ["TENANT_NOT_FOUND", "INVALID_CURSOR", "INVALID_IDENTIFIER"],
          params: TenantParams,
          querystring: ExportQuery,
          parameterExamples: { tenantId: "acme", userId: "nobody" },
          response: answers({ 200: Type.String() }),
          answerExamples: { "application/x-ndjson": '{"kind":"end"}\n' },
          canBeTried: false,
        }),
      },
      async (request, reply) => {
        const owner = ownerOf(request, request.params.tenantId, request.query);
        const { artifactService } = deps.unguarded;
        const stores: AnswerDeps = {
          ...deps,
          artifactService: {
            readArtifact: (range) => inTenantOf(owner, () => artifactService.readArtifact(range)),
          },
        };
        const account = answersOf(deps, request);
        const pieces = exportTenant({ ...deps.unguarded, answers: account }, desk, owner, request.query.cursor);
        const answer = { answers: account, pieces };
        return sendPieces(stores, reply, answer, { type: "application/x-ndjson" });
      },
    );

    app.delete(
      "/v1/tenants/:tenantId",
      {
        schema: described({
          operationId: "deleteTenant",
          answer: "small",
          access: ACCESS,
          tags: ["server"],
          summary: "Delete everything that is stored of a tenant or of one of its users",
          description:
            "Cancels its runs and evaluations, refuses new ones, and deletes for some seconds: repeat the call until `isDone` is true. The audit log stays. Callers of other tenants than `default` delete their own.",
          errors: ["TENANT_NOT_FOUND", "INVALID_FIELD", "INVALID_IDENTIFIER", "STORE_UNAVAILABLE"],
          params: TenantParams,
          querystring: DeleteQuery,
          parameterExamples: { tenantId: "acme", userId: "nobody" },
          response: answers({ 200: DeletionSchema }),
          canBeTried: false,
        }),
      },
      async (request): Promise<Static<typeof DeletionSchema>> => {
        const owner = ownerOf(request, request.params.tenantId, request.query);
        if (owner.tenantId === DEFAULT_TENANT && owner.userId === undefined && request.query.confirm !== DEFAULT_TENANT)
          throw new PlatformError(
            "INVALID_FIELD",
            "The tenant default has all data of a server without tenants. Add confirm=default to delete it.",
            { details: { field: "confirm" } },
          );
        const { at, ...step } = await desk.delete(owner);
        return { ...owner, ...step, at };
      },
    );
  };
}

/** Throws `TENANT_NOT_FOUND` for a tenant that the caller does not reach, whether it has data or not. */
function ownerOf(
  request: FastifyRequest,
  tenantId: string,
  { userId }: { readonly userId?: string | undefined },
): DataOwner {
  const own = callerOf(request).tenantId;
  if (own !== DEFAULT_TENANT && own !== tenantId)
    throw new PlatformError("TENANT_NOT_FOUND", "There is no tenant of that name for the caller.");
  const owner = { tenantId, userId };
  assertDataOwner(owner);
  return owner;
}
