import type { Schema } from './documentedCalls.ts';

/** One Markdown line for each field: path, type and description. */
export function fieldLines({ properties = {}, required = [] }: Schema, at = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const here = at === '' ? name : `${at}.${name}`;
    const needed = required.includes(name) ? '' : ', optional';
    const variants = field.anyOf?.flatMap((variant) => fieldLines(variant, here)) ?? [];
    return [
      `- \`${here}\` (${typeOf(field)}${needed}): ${field.description ?? ''}`,
      ...fieldLines(field, here),
      ...(field.items ? fieldLines(field.items, `${here}[]`) : []),
      ...variants,
    ];
  });
}

function typeOf(field: Schema): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (field.anyOf) return [...new Set(field.anyOf.map(typeOf))].join(' or ');
  if (field.items) return `array of ${typeOf(field.items)}`;
  return [field.type ?? 'any'].flat().join(' or ');
}
