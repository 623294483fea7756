import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";

/** A service and the functions that answer its calls. */
export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
}
