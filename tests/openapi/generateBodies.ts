import fc from 'fast-check';

// Requests made from the published schema itself: valid ones by its patterns and enums, and ones that are broken in
// exactly one place or are no object at all.

interface FieldSchema {
  pattern?: string;
  enum?: string[];
  maxLength?: number;
}

interface BodySchema {
  properties: Record<string, FieldSchema>;
  required?: string[];
}

/** A value that a field's schema takes. */
function fieldValue({ pattern, enum: words, maxLength = 78 }: FieldSchema): fc.Arbitrary<string> {
  if (words) return fc.constantFrom(...words);
  if (!pattern) return fc.string({ maxLength });
  return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
}

/** A body with the required fields and some of the others. Cross-field rules are left to the schema's own judgement. */
export function validLooking({ properties, required = [] }: BodySchema): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, fieldValue(field)])), {
    requiredKeys: required,
  });
}

const strange = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', ' ', '0', '-1', '1e3', '0x', '٣', [], {}, '9'.repeat(79)),
  fc.string(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.array(fc.integer(), { maxLength: 2 }),
);

/** A body with one field turned into something strange, an unknown one added, or one taken away. */
export function broken(schema: BodySchema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties);
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(validLooking(schema), fc.constantFrom(...names), strange)
        .map(([body, name, value]) => ({ ...body, [name]: value })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(validLooking(schema), fc.string(), strange)
        .map(([body, name, value]) => ({ ...body, [name]: value })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(validLooking(schema), fc.constantFrom(...names)).map(([{ ...body }, name]) => {
        delete body[name];
        return body;
      }),
    },
    { weight: 1, arbitrary: strange },
  );
}
