import type { z } from 'zod';
import { toSchema } from './toSchema.ts';

type Json = Record<string, unknown>;

/** What is sent is told with its rules; of what is answered, types are enough. */
const kept = {
  input: ['type', 'enum', 'const', 'pattern', 'maxLength', 'required', 'additionalProperties', 'not'],
  output: ['type', 'enum', 'const'],
} as const;

/** A schema's bones, without words or examples, down to `depth` levels; what lies deeper is told by its type alone. */
export function compactSchema(schema: z.ZodType, io: 'input' | 'output', depth: number): Json {
  return bones(toSchema(schema, io), kept[io], depth);
}

function bones(schema: Json, words: readonly string[], depth: number): Json {
  const { properties, items, anyOf } = schema as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  if (depth === 0) return schema.type === undefined ? {} : { type: schema.type };
  const parts = Object.entries(properties ?? {});
  return {
    ...Object.fromEntries(words.filter((word) => schema[word] !== undefined).map((word) => [word, schema[word]])),
    ...(parts.length > 0 && {
      properties: Object.fromEntries(parts.map(([name, part]) => [name, bones(part, words, depth - 1)])),
    }),
    ...(items && { items: bones(items, words, depth - 1) }),
    ...(anyOf && { anyOf: anyOf.map((part) => bones(part, words, depth)) }),
  };
}
