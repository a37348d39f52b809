import type { z } from 'zod';
import { toSchema } from '../openapi/toSchema.ts';

interface Field {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Field>;
  required?: string[];
  items?: Field;
  anyOf?: Field[];
}

/** One Markdown line a field: where it is, what it may be, what it means. */
export function fieldLines(schema: z.ZodType): string[] {
  return linesOf(toSchema(schema, 'input') as Field, '');
}

function linesOf({ properties = {}, required = [] }: Field, at: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const here = at === '' ? name : `${at}.${name}`;
    const needed = required.includes(name) ? '' : ', optional';
    const variants = field.anyOf?.flatMap((variant) => linesOf(variant, here)) ?? [];
    return [
      `- \`${here}\` (${typeOf(field)}${needed}): ${field.description ?? ''}`,
      ...linesOf(field, here),
      ...(field.items ? linesOf(field.items, `${here}[]`) : []),
      ...variants,
    ];
  });
}

function typeOf(field: Field): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (field.anyOf) return [...new Set(field.anyOf.map(typeOf))].join(' or ');
  if (field.items) return `array of ${typeOf(field.items)}`;
  return [field.type ?? 'any'].flat().join(' or ');
}
