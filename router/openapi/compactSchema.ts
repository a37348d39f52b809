import type { z } from 'zod';
import { toSchema } from './toSchema.ts';

type Json = Record<string, unknown>;

const kept = ['type', 'enum', 'const', 'pattern', 'maxLength', 'required', 'additionalProperties'] as const;

/** A schema's bones: types and rules without words or examples, down to `depth` levels; deeper is any object. */
export function compactSchema(schema: z.ZodType, io: 'input' | 'output', depth: number): Json {
  return bones(toSchema(schema, io), depth);
}

function bones(schema: Json, depth: number): Json {
  const { properties, items, anyOf } = schema as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  if (depth === 0) return schema.type === undefined ? {} : { type: schema.type };
  return {
    ...Object.fromEntries(kept.filter((word) => isKept(schema, word)).map((word) => [word, schema[word]])),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, bones(part, depth - 1)])),
    }),
    ...(items && { items: bones(items, depth - 1) }),
    ...(anyOf && { anyOf: anyOf.map((part) => bones(part, depth)) }),
  };
}

/** Rules are for what is sent; of an answer, types are enough. `required` of a partial example would be wrong. */
function isKept(schema: Json, word: (typeof kept)[number]): boolean {
  return schema[word] !== undefined;
}
