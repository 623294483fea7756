/** The type without parameters, in lower case. */
export function mediaTypeOf(text: string): string {
  return text.split(";")[0]?.trim().toLowerCase() ?? "";
}

export function isJsonType(type: string): boolean {
  return type === "application/json" || type.endsWith("+json");
}

export const FORM_TYPE = "application/x-www-form-urlencoded";
export const PARTS_TYPE = "multipart/form-data";
export const BYTES_TYPE = "application/octet-stream";

/** Whether a body of this type is bytes, which models give in base64. */
export function isBytesType(type: string): boolean {
  return /^(?:(?:image|audio|video)\/[^*]+|application\/(?:octet-stream|pdf|zip|gzip))$/.test(type);
}
