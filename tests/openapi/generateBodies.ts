import fc from 'fast-check';

// Request bodies generated from the published schema: values that match its patterns and enums, bodies with one changed
// field, and values that are not objects.

interface FieldSchema {
  pattern?: string;
  enum?: string[];
  maxLength?: number;
}

interface BodySchema {
  properties: Record<string, FieldSchema>;
  required?: string[];
}

/** Generates a valid value of a field. */
function fieldValue({ pattern, enum: words, maxLength = 78 }: FieldSchema): fc.Arbitrary<string> {
  if (words) return fc.constantFrom(...words);
  if (!pattern) return fc.string({ maxLength });
  return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
}

/** Generates a body with the required and some optional fields. It may violate rules that concern several fields. */
export function validFields({ properties, required = [] }: BodySchema): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldValue(field)])), {
    requiredKeys: required,
  });
}

const unusualValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', ' ', '0', '-1', '1e3', '0x', '٣', [], {}, '9'.repeat(79)),
  fc.string(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.array(fc.integer(), { maxLength: 2 }),
);

/** Generates a body with one field replaced, added or removed, or another value in place of the body. */
export function changedBody(schema: BodySchema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties);
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(validFields(schema), fc.constantFrom(...names), unusualValue)
        .map(([body, name, value]) => ({ ...body, [name]: value })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(validFields(schema), fc.string(), unusualValue)
        .map(([body, name, value]) => ({ ...body, [name]: value })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(validFields(schema), fc.constantFrom(...names)).map(([{ ...body }, name]) => {
        delete body[name];
        return body;
      }),
    },
    { weight: 1, arbitrary: unusualValue },
  );
}
