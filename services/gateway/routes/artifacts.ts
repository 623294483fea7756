import type { FastifyReply } from "fastify";
import type { ArtifactKey, ArtifactService, ArtifactVersion } from "#kit/artifacts/artifact-service.ts";
import { assertClientArtifactName } from "#kit/artifacts/inline-data.ts";
import { artifactPieces, type JsonPiece } from "#kit/artifacts/json-pieces.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { allNames } from "#kit/names/name-pages.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type Static, Type } from "#kit/schema/shape.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import { InvalidRequestError, JSON_TYPE } from "../http/errors.ts";
import { described } from "../openapi/route-description.ts";
import { fileBodyLimit } from "../requests/body-budget.ts";
import { answerOnce, CreateHeaders, readIdempotencyKey } from "../requests/idempotency.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap, PartSchema, SessionParams } from "../requests/wire-schemas.ts";
import { answersOf } from "../streams/answers-of.ts";
import { listPieces, sendPieces } from "../streams/send-pieces.ts";
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

/** The files of sessions and users. The session need not exist: stores use only its key. */
export function artifactRoutes(deps: RouteDeps): TypedRoutes {
  const { artifactService } = deps;

  return async (app) => {
    app.get(
      BASE,
      {
        schema: described({
          operationId: "listArtifacts",
          answer: "in-parts",
          access: { scope: "artifacts", owner: "path-user" },
          tags: ["artifacts"],
          summary: "List file names",
          params: SessionParams,
          response: { 200: Type.Array(Type.String()) },
          answerExamples: { "application/json": ["notes/trip.txt"] },
        }),
      },
      async (request, reply) => {
        const session = toSession(request.params);
        const names = allNames(
          async (after?: string) => (await artifactService.listArtifactKeys(session, after)).filenames,
        );
        return sendPieces(deps, reply, { answers: answersOf(deps, request), pieces: listPieces(names) });
      },
    );

    app.post(
      BASE,
      {
        bodyLimit: fileBodyLimit(deps.config),
        schema: described({
          operationId: "saveArtifact",
          answer: () => 4 * MAX_METADATA_BYTES,
          access: { scope: "artifacts", owner: "path-user" },
          tags: ["artifacts"],
          summary: "Save a new version",
          description: "Of the file `filename`. The content is a part: `text`, or `inlineData` with base64.",
          errors: ["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_IN_USE"],
          params: SessionParams,
          body: SaveBody,
          example: { filename: "notes/trip.txt", artifact: { text: "Pack an umbrella." } },
          headers: CreateHeaders,
          response: answers({ 200: ArtifactVersionSchema }),
        }),
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
        schema: described({
          operationId: "loadArtifact",
          answer: "in-parts",
          access: { scope: "artifacts", owner: "path-user" },
          tags: ["artifacts"],
          summary: "Load a file",
          errors: ["ARTIFACT_NOT_FOUND", "INVALID_FIELD"],
          params: SessionParams,
          querystring: VersionQuery,
          response: answers({ 200: PartSchema }),
          answerExamples: { "application/json": { text: "Pack an umbrella." } },
          below: {
            "/versions": {
              operationId: "listArtifactVersions",
              summary: "List the versions of a file",
              response: { 200: Type.Array(Type.Integer()) },
            },
            "/versions/{version}": {
              operationId: "loadArtifactVersion",
              summary: "Load a version of a file",
              response: { 200: PartSchema },
            },
            "/versions/metadata": {
              operationId: "listArtifactMetadata",
              summary: "List what is known of the versions of a file",
              response: { 200: Type.Array(ArtifactVersionSchema) },
            },
            "/versions/{version}/metadata": {
              operationId: "readArtifactMetadata",
              summary: "Read what is known of a version of a file",
              response: { 200: ArtifactVersionSchema },
            },
          },
        }),
      },
      async (request, reply) => {
        const { params, query, url, routeOptions } = request;
        const target = parseArtifactPath(url, routeOptions.url);
        const key = toKey(params, target.filename);
        const account = answersOf(deps, request);
        const pieces = read(artifactService, account, { key, target, queryVersion: query.version });
        return sendPieces(deps, reply, { answers: account, pieces });
      },
    );

    app.delete(
      `${BASE}/*`,
      {
        schema: described({
          operationId: "deleteArtifact",
          answer: "small",
          access: { scope: "artifacts", owner: "path-user" },
          tags: ["artifacts"],
          summary: "Delete all versions of a file",
          description: "A file that does not exist is not an error.",
          params: SessionParams,
          response: { 200: Type.Null() },
        }),
      },
      async ({ params, url, routeOptions }, reply) => {
        await artifactService.deleteArtifact(toKey(params, parseArtifactName(url, routeOptions.url)));
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

async function* read(
  service: ArtifactService,
  answers: AnswerReader,
  { key, target, queryVersion }: ReadRequest,
): AsyncGenerator<JsonPiece, void, undefined> {
  switch (target.kind) {
    case "artifact":
      return yield* await load(service, key, queryVersion ?? "latest");
    case "version":
      return yield* await load(service, key, target.version);
    case "versions":
      return yield* listPieces(numbersOf(service, key));
    case "metadata-list":
      return yield* listPieces(versionsOf(service, answers, key));
    case "metadata": {
      const found = isPossible(target.version)
        ? await service.getArtifactVersion(key, toNumber(target.version))
        : undefined;
      return yield JSON.stringify(toWireVersion(found ?? notFound("Artifact version not found", key)));
    }
    default:
      return target satisfies never;
  }
}

async function load(service: ArtifactService, key: ArtifactKey, version: number | "latest") {
  const found = isPossible(version) ? await service.describeArtifact(key, toNumber(version)) : undefined;
  return artifactPieces(key, found ?? notFound("Artifact not found", key));
}

function numbersOf(service: ArtifactService, key: ArtifactKey): AsyncIterable<number> {
  return allNames(async (after?: number) => (await service.listVersions(key, after)).versions);
}

/** Versions whose metadata is read together. */
const READ_TOGETHER = 8;

/** The metadata of all versions, a few at a time. */
async function* versionsOf(service: ArtifactService, answers: AnswerReader, key: ArtifactKey) {
  const versions = await Array.fromAsync(numbersOf(service, key));
  const bytes = 3 * READ_TOGETHER * MAX_METADATA_BYTES;
  for (let at = 0; at < versions.length; at += READ_TOGETHER) {
    using _ = answers.take(bytes) ?? (await answers.wait(bytes));
    const some = versions.slice(at, at + READ_TOGETHER).map((version) => service.getArtifactVersion(key, version));
    for (const found of await Promise.all(some)) if (found !== undefined) yield toWireVersion(found);
  }
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
    mimeType,
  };
}

// The framework sends no body for null, but clients of this call parse one.
function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type(JSON_TYPE).send(JSON.stringify(value));
}
