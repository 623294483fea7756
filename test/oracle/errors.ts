// Error classes of the recorded server's language: their names are part of what clients see.

export class RuntimeError extends Error {
  override readonly name = "RuntimeError";
}

export class ValueError extends Error {
  override readonly name = "ValueError";
}

export class TypeMismatch extends Error {
  override readonly name = "TypeError";
}
