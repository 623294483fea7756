import type { FastifyPluginAsync, FastifyPluginOptions, FastifyTypeProvider, RawServerDefault } from "fastify";
import type { Shape } from "#kit/schema/shape.ts";

/** Gives handlers the types of the shapes in their routes' schemas. */
export interface ShapeTypeProvider extends FastifyTypeProvider {
  validator: this["schema"] extends Shape<infer Value> ? Value : unknown;
  serializer: this["schema"] extends Shape<infer Value> ? Value : unknown;
}

export type TypedRoutes = FastifyPluginAsync<FastifyPluginOptions, RawServerDefault, ShapeTypeProvider>;
