import { z } from 'zod';

/** A zod schema as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. */
export function toSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _dialect, ...published } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return published;
}
