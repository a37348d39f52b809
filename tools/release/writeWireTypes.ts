import { z } from 'zod';
import { catalogue, errorTable, freeCalls, healthBody } from '../../router/index.ts';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
  pattern?: string;
  'x-extensible-enum'?: string[];
}

/** The client's type names for the request and the answer of each procedure. */
const names: Record<string, [request: string, answer: string]> = {
  quote: ['QuoteRequest', 'Quote'],
  pretradeCheck: ['PretradeRequest', 'PublishedCheck'],
  buildTransaction: ['TransactionRequest', 'Transaction'],
};

/** Returns the source of `client/wire.ts` with all types in full, from the schemas that the router validates with. */
export function writeWireTypes(): string {
  const wire = [...catalogue, ...freeCalls].flatMap(({ name, input, output }) => {
    const [request, answer] = wireNames(name);
    return [declareType(request, input, 'input'), declareType(answer, output, 'output')];
  });
  const codes = declareType('ErrorCode', z.enum(Object.keys(errorTable) as [string, ...string[]]), 'output');
  return [...wire, declareType('Health', healthBody, 'output'), codes].join('\n');
}

/** The type names of a procedure's request and answer. */
export function wireNames(procedure: string): [request: string, answer: string] {
  const found = names[procedure];
  if (!found) throw new Error(`The client has no names for the types of ${procedure}.`);
  return found;
}

/** Returns a schema's declaration as an exported TypeScript type. */
export function declareType(name: string, schema: z.ZodType, io: 'input' | 'output'): string {
  // Not the published schema, which lists no members of a map that has further ones: a type can have both.
  const published = z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) as Schema;
  return `${comment(published, '')}export type ${name} = ${typeOf(published, '')};\n`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((variant) => typeOf(variant, indent)).join(' | ');
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => oneType(type, schema, indent))
    .join(' | ');
}

function oneType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'string':
      return stringType(schema);
    case 'array':
      return `(${schema.items ? typeOf(schema.items, indent) : 'unknown'})[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return type;
  }
}

/** Hex strings get viem's type. An extensible enum keeps its literals, so that editors complete them. */
function stringType({ pattern = '', 'x-extensible-enum': known }: Schema): string {
  if (known) return `${known.map((value) => JSON.stringify(value)).join(' | ')} | (string & {})`;
  return pattern.startsWith('^0x') ? `\`0x\${string}\`` : 'string';
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? '' : '?';
    // zod's optional fields also accept undefined, which a project with exactOptionalPropertyTypes would reject.
    const also = mark === '?' ? ' | undefined' : '';
    return `${comment(field, inner)}${inner}${JSON.stringify(name)}${mark}: ${typeOf(field, inner)}${also};\n`;
  });
  if (additionalProperties && typeof additionalProperties === 'object') {
    const rest = Object.keys(additionalProperties).length === 0 ? 'unknown' : typeOf(additionalProperties, inner);
    fields.push(`${inner}[more: string]: ${rest};\n`);
  }
  return `{\n${fields.join('')}${indent}}`;
}

function comment({ description }: Schema, indent: string): string {
  return description ? `${indent}/** ${description.replaceAll('*/', '* /')} */\n` : '';
}
