import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { DataOwner } from "../tenants/data-owner.ts";
import type {
  DataItem,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "../tenants/tenant-data.ts";
import { tenantDataOf } from "../tenants/tenant-data-of.ts";
import type { EvalStore } from "./eval-store.ts";

const PAGE = 100;

/** A deletion that continues where an earlier step has ended. */
export interface DeleteEvalDataRequest extends DeleteDataRequest {
  /** `nextPageToken` of the step before. Absent: from the beginning. */
  readonly pageToken?: string;
}

export interface DeleteEvalDataResponse extends DeleteDataResponse {
  /**
   * The `pageToken` of the next step. Absent if the deletion is done, or if the next step starts again from the
   * beginning.
   */
  readonly nextPageToken?: string;
}

/**
 * The evaluation data of a tenant: its sets and results. For one user of the tenant: the results that contain cases
 * which ran as that user. A deletion for a user removes those cases and keeps the result under its name. A result that
 * cannot be read is left out.
 */
export class EvalData implements TenantData {
  readonly #store: EvalStore;
  readonly #data: TenantData;

  constructor(store: EvalStore) {
    this.#store = store;
    this.#data = tenantDataOf(store);
  }

  async listData({ userId, ...request }: ListDataRequest): Promise<DataPage> {
    const page = await this.#data.listData(request);
    if (userId === undefined) return page;
    const owner = { tenantId: request.tenantId, userId };
    const items: DataItem[] = [];
    for (const item of page.items) if ((await this.#resultOf(item, owner)) !== undefined) items.push(item);
    return { ...page, items };
  }

  /**
   * A step for a user reads at most `PAGE` results of the tenant, because only the result itself shows the users of its
   * cases. With the token of the step before, no result is read twice.
   */
  async deleteData(request: DeleteEvalDataRequest): Promise<DeleteEvalDataResponse> {
    const { tenantId, userId, limit, pageToken } = request;
    if (userId === undefined) return this.#data.deleteData({ tenantId, limit });
    const pageSize = Math.min(limit, PAGE);
    const page = await this.#data.listData({ tenantId, pageSize, pageToken });
    let deleted = 0;
    for (const item of page.items) {
      const result = await this.#resultOf(item, { tenantId, userId });
      if (result === undefined) continue;
      const evalCaseResults = result.evalCaseResults.filter((each) => each.userId !== userId);
      await this.#store.saveEvalSetResult(appOf(item, tenantId), { ...result, evalCaseResults });
      deleted += 1;
    }
    const { nextPageToken } = page;
    return nextPageToken === undefined ? { deleted, isDone: true } : { deleted, isDone: false, nextPageToken };
  }

  /** The result with that name, if it has cases of the user. */
  async #resultOf(item: DataItem, { tenantId, userId }: DataOwner): Promise<EvalSetResult | undefined> {
    if (item.kind !== "eval-result") return undefined;
    try {
      const result = await this.#store.getEvalSetResult(appOf(item, tenantId), String(item["evalResultId"]));
      return result?.evalCaseResults.some((each) => each.userId === userId) ? result : undefined;
    } catch (error) {
      if (toPlatformError(error).reason === "EVAL_DATA_BROKEN") return undefined;
      throw error;
    }
  }
}

function appOf(item: DataItem, tenantId: string) {
  return { ...inTenant(tenantId), appName: String(item["appName"]) };
}
