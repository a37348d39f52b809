type Json = Record<string, unknown>;

/**
 * Sets the example of each field to its value in the example of the whole schema, so that a value is written once.
 * A field with its own examples keeps them.
 */
export function fillExamples(schema: Json, example: unknown): Json {
  const { properties, items } = schema as { properties?: Record<string, Json>; items?: Json };
  const variants = schema.anyOf as Json[] | undefined;
  if (properties && isObject(example)) {
    const filled = Object.entries(properties).map(([name, part]) => [name, fillExamples(part, example[name])]);
    return { ...schema, properties: Object.fromEntries(filled) };
  }
  if (items && Array.isArray(example)) {
    return { ...schema, items: fillExamples(items, example[0]), ...exampleOf(schema, example) };
  }
  if (variants && isObject(example)) {
    return {
      ...schema,
      anyOf: variants.map((variant) => (variant.properties ? fillExamples(variant, example) : variant)),
    };
  }
  return { ...schema, ...exampleOf(schema, example) };
}

function exampleOf(schema: Json, example: unknown): Json {
  return example === undefined || schema.examples !== undefined || schema.const !== undefined
    ? {}
    : { examples: [example] };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
