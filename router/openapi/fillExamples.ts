type Json = Record<string, unknown>;

/**
 * Sets each field's example to its value in the schema's example, so that the example is written once. A field with its own
 * examples keeps them.
 */
export function fillExamples(schema: Json, example: unknown): Json {
  const { properties, items } = schema as { properties?: Record<string, Json>; items?: Json };
  const variants = schema.anyOf as Json[] | undefined;
  if (properties && isObject(example)) {
    const filled = Object.entries(properties).map(([name, part]) => [name, fillExamples(part, example[name])]);
    return { ...schema, properties: Object.fromEntries(filled) };
  }
  if (items && Array.isArray(example)) {
    return { ...schema, items: fillExamples(items, example[0]), ...shown(schema, example) };
  }
  if (variants && isObject(example)) {
    return {
      ...schema,
      anyOf: variants.map((variant) => (variant.properties ? fillExamples(variant, example) : variant)),
    };
  }
  return { ...schema, ...shown(schema, example) };
}

function shown(schema: Json, example: unknown): Json {
  return example === undefined || schema.examples !== undefined || schema.const !== undefined
    ? {}
    : { examples: [example] };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
