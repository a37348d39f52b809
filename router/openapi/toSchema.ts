import { z } from 'zod';

/** A zod schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function toSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const options = { io, target: 'draft-2020-12', override: publishAsMap } as const;
  const { $schema: _dialect, ...published } = z.toJSONSchema(schema, options);
  return published;
}

/**
 * Does not list the members of a map, such as `note` of `sources`. From a list beside a map, generators of zod schemas (hey-api,
 * orval) keep only the listed members of an answer.
 */
function publishAsMap({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { additionalProperties } = jsonSchema;
  if (typeof additionalProperties !== 'object' || !additionalProperties.type) return;
  delete jsonSchema.properties;
  // Linters reject required members that are not listed.
  delete jsonSchema.required;
}
