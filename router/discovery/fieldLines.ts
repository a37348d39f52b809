import type { Schema } from './documentedCalls.ts';

/**
 * One Markdown line for each field of a schema: path, type and description.
 * @param parent path of the schema itself; empty for the body
 */
export function fieldLines({ properties = {}, required = [] }: Schema, parent = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = parent === '' ? name : `${parent}.${name}`;
    const optional = required.includes(name) ? '' : ', optional';
    const variants = field.anyOf?.flatMap((variant) => fieldLines(variant, path)) ?? [];
    return [
      `- \`${path}\` (${typeOf(field)}${optional}): ${field.description ?? ''}`,
      ...fieldLines(field, path),
      ...(field.items ? fieldLines(field.items, `${path}[]`) : []),
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
