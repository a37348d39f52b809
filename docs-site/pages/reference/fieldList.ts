import type { Schema } from '../../../router/index.ts';
import { html, type Markup, withCode } from '../../html.ts';

/** The fields of an object schema; those of nested objects can be opened. */
export function fieldList({ properties = {}, required = [] }: Schema): Markup {
  return html`<dl class="fields">
${Object.entries(properties).map(
  ([
    name,
    field,
  ]) => html`<dt><code>${name}</code> <span>${typeOf(field)}${!required.includes(name) && ', optional'}</span></dt>
<dd>${withCode(field.description ?? '')}${values(field)}${nested(name, field)}</dd>
`,
)}</dl>`;
}

/** The object behind a field: its own, that of an array's items, or that of a nullable variant. */
function objectOf(field: Schema): Schema | undefined {
  if (field.properties) return field;
  if (field.items) return objectOf(field.items);
  return field.anyOf?.map(objectOf).find((variant) => variant !== undefined);
}

function nested(name: string, field: Schema): Markup | false {
  const object = objectOf(field);
  if (!object) return false;
  return html`<details><summary>Fields of ${name}</summary>${fieldList(object)}</details>`;
}

function values(field: Schema): Markup | false {
  const listed = field.enum ?? field.items?.enum;
  return (
    listed !== undefined &&
    html` <span class="values">${listed.map((value) => html`<code>${JSON.stringify(value)}</code> `)}</span>`
  );
}

function typeOf(field: Schema): string {
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.anyOf) return [...new Set(field.anyOf.map(typeOf))].join(' or ');
  if (field.items) return `array of ${typeOf(field.items)}s`;
  return [field.type ?? 'any'].flat().join(' or ');
}
