import type { FastifyReply } from "fastify";
import type { ArtifactKey, ArtifactService, ArtifactVersion } from "#kit/artifacts/artifact-service.ts";
import { assertClientArtifactName } from "#kit/artifacts/inline-data.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { GatewayDeps } from "../deps.ts";
import { InvalidRequestError, JSON_TYPE } from "../http/errors.ts";
import { fileBodyLimit } from "../requests/body-budget.ts";
import { answerOnce, CreateHeaders, readIdempotencyKey } from "../requests/idempotency.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, ErrorSchema, JsonMap, PartSchema, SessionParams } from "../requests/wire-schemas.ts";
import { type ArtifactTarget, parseArtifactName, parseArtifactPath } from "./artifact-path.ts";

const BASE = "/apps/:appName/users/:userId/sessions/:sessionId/artifacts";

const VersionQuery = Type.Object({ version: Type.Optional(Type.Integer({ description: "The newest when absent." })) });

const SaveBody = Type.Object({
  filename: Type.String({ minLength: 1 }),
  artifact: PartSchema,
  customMetadata: Type.Optional(Type.Union([JsonMap, Type.Null()])),
});

const ArtifactVersionSchema = Type.Object({
  version: Type.Integer(),
  canonicalUri: Type.String(),
  customMetadata: JsonMap,
  createTime: Type.Number({ description: "Seconds since the epoch, with a fraction." }),
  mimeType: Type.Optional(Type.String()),
});

const TAIL =
  "A file name, which may hold slashes; then nothing, /versions, /versions/{v}, /versions/metadata or /versions/{v}/metadata.";

/** The files of sessions and users. The session need not exist: stores use only its key. */
export function artifactRoutes(
  deps: Pick<GatewayDeps, "artifactService" | "idempotencyStore" | "config">,
): TypedRoutes {
  const { artifactService } = deps;

  return async (app) => {
    app.get(
      BASE,
      {
        schema: {
          tags: ["artifacts"],
          summary: "List file names",
          params: SessionParams,
          response: { 200: Type.Array(Type.String()) },
        },
      },
      async ({ params }) => {
        const { filenames } = await artifactService.listArtifactKeys(toSession(params));
        return [...filenames];
      },
    );

    app.post(
      BASE,
      {
        bodyLimit: fileBodyLimit(deps.config),
        schema: {
          tags: ["artifacts"],
          summary: "Save a new version",
          params: SessionParams,
          body: SaveBody,
          headers: CreateHeaders,
          response: answers({ 200: ArtifactVersionSchema }),
        },
      },
      async ({ params, body, headers }, reply) => {
        const key = toKey(params, body.filename);
        // The service refuses bad base64.
        const { artifact } = body;
        const customMetadata = body.customMetadata ?? undefined;
        if (customMetadata !== undefined) assertMetadata(customMetadata);
        const save = async (): Promise<string> => {
          const metadata = customMetadata === undefined ? {} : { customMetadata };
          return JSON.stringify(toWireVersion(await artifactService.saveArtifact({ ...key, artifact, ...metadata })));
        };
        const { appName, userId, sessionId } = params;
        const scope = ["artifact", appName, userId, sessionId];
        const call = { store: deps.idempotencyStore, scope, key: readIdempotencyKey(headers), body };
        return reply.type(JSON_TYPE).send(await answerOnce(call, save));
      },
    );

    app.get(
      `${BASE}/*`,
      {
        schema: {
          tags: ["artifacts"],
          summary: "Load a file, its versions or what is known of them",
          description: TAIL,
          params: SessionParams,
          querystring: VersionQuery,
          response: { 404: ErrorSchema },
        },
      },
      async ({ params, query, url }, reply) => {
        const target = parseArtifactPath(url);
        const key = toKey(params, target.filename);
        return sendJson(reply, await read(artifactService, { key, target, queryVersion: query.version }));
      },
    );

    app.delete(
      `${BASE}/*`,
      {
        schema: {
          tags: ["artifacts"],
          summary: "Delete all versions of a file",
          params: SessionParams,
          response: { 200: Type.Null() },
        },
      },
      async ({ params, url }, reply) => {
        await artifactService.deleteArtifact(toKey(params, parseArtifactName(url)));
        return sendJson(reply, null);
      },
    );
  };
}

/** Each list of versions has the metadata of all of them. */
const MAX_METADATA_BYTES = 64 * 1024;

function assertMetadata(metadata: JsonObject): void {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes <= MAX_METADATA_BYTES) return;
  const msg = `Metadata should have at most ${MAX_METADATA_BYTES} bytes of JSON; this has ${bytes}`;
  throw new InvalidRequestError([{ type: "too_long", loc: ["body", "customMetadata"], msg }]);
}

interface ReadRequest {
  readonly key: ArtifactKey;
  readonly target: ArtifactTarget;
  readonly queryVersion: number | undefined;
}

async function read(service: ArtifactService, { key, target, queryVersion }: ReadRequest): Promise<unknown> {
  switch (target.kind) {
    case "artifact":
      return load(service, key, queryVersion ?? "latest");
    case "version":
      return load(service, key, target.version);
    case "versions":
      return (await service.listVersions(key)).versions;
    case "metadata-list":
      return (await service.listArtifactVersions(key)).map(toWireVersion);
    case "metadata": {
      const found = isPossible(target.version)
        ? await service.getArtifactVersion(key, toNumber(target.version))
        : undefined;
      return toWireVersion(found ?? notFound("Artifact version not found", key));
    }
    default:
      return target satisfies never;
  }
}

async function load(service: ArtifactService, key: ArtifactKey, version: number | "latest"): Promise<Part> {
  const part = isPossible(version) ? await service.loadArtifact(key, toNumber(version)) : undefined;
  return part ?? notFound("Artifact not found", key);
}

function isPossible(version: number | "latest"): boolean {
  return version === "latest" || version >= 0;
}

function toNumber(version: number | "latest"): number | undefined {
  return version === "latest" ? undefined : version;
}

function notFound(message: string, { filename }: ArtifactKey): never {
  throw new PlatformError("ARTIFACT_NOT_FOUND", message, { details: { filename } });
}

type Params = Static<typeof SessionParams>;

function toSession({ appName, userId, sessionId }: Params): ArtifactKey["session"] {
  return { appName, userId, id: sessionId };
}

function toKey(params: Params, filename: string): ArtifactKey {
  assertClientArtifactName(filename);
  return { session: toSession(params), filename };
}

function toWireVersion({
  version,
  canonicalUri,
  customMetadata,
  createTime,
  mimeType,
}: ArtifactVersion): Static<typeof ArtifactVersionSchema> {
  return {
    version,
    canonicalUri,
    customMetadata,
    createTime: createTime / 1000,
    ...(mimeType !== undefined && { mimeType }),
  };
}

// The framework sends no body for null, but clients of this call parse one.
function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type(JSON_TYPE).send(JSON.stringify(value));
}
