import type { z } from 'zod';
import { toSchema } from './toSchema.ts';

/** The JSON Schema of an object with only the name and type of each property, and the required ones. */
export function propertyTypes(schema: z.ZodObject): Record<string, unknown> {
  const { properties, required } = toSchema(schema, 'input') as {
    properties: Record<string, { type?: string }>;
    required?: string[];
  };
  const types = Object.entries(properties).map(([name, { type }]) => [name, { type }]);
  return { type: 'object', properties: Object.fromEntries(types), required };
}
