import type { z } from 'zod';
import { toSchema } from './toSchema.ts';

type Json = Record<string, unknown>;

/** The JSON Schema keywords to keep: requests keep their constraints, responses only types. */
const keptKeywords = {
  input: ['type', 'enum', 'const', 'pattern', 'maxLength', 'required', 'additionalProperties', 'not'],
  output: ['type', 'enum', 'const'],
} as const;

/** A schema without descriptions or examples, down to `depth` levels; deeper levels keep only their type. */
export function compactSchema(schema: z.ZodType, io: 'input' | 'output', depth: number): Json {
  return compact(toSchema(schema, io), keptKeywords[io], depth);
}

function compact(schema: Json, keywords: readonly string[], depth: number): Json {
  const { properties, items, anyOf } = schema as { properties?: Record<string, Json>; items?: Json; anyOf?: Json[] };
  if (depth === 0) return schema.type === undefined ? {} : { type: schema.type };
  const parts = Object.entries(properties ?? {});
  return {
    ...Object.fromEntries(keywords.filter((word) => schema[word] !== undefined).map((word) => [word, schema[word]])),
    ...(parts.length > 0 && {
      properties: Object.fromEntries(parts.map(([name, part]) => [name, compact(part, keywords, depth - 1)])),
    }),
    ...(items && { items: compact(items, keywords, depth - 1) }),
    ...(anyOf && { anyOf: anyOf.map((part) => compact(part, keywords, depth)) }),
  };
}
