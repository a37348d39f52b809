import { z } from 'zod';

/** A zod schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function toSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...published } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return published;
}
