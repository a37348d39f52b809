import fc from 'fast-check';

// Request bodies from the published schema: valid ones by its patterns and enums, and ones with exactly one fault or
// that are not an object.

interface FieldSchema {
  pattern?: string;
  enum?: string[];
  maxLength?: number;
}

interface BodySchema {
  properties: Record<string, FieldSchema>;
  required?: string[];
}

/** A valid value of a field's schema. */
function fieldValue({ pattern, enum: words, maxLength = 78 }: FieldSchema): fc.Arbitrary<string> {
  if (words) return fc.constantFrom(...words);
  if (!pattern) return fc.string({ maxLength });
  return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
}

/** A body with the required fields and some optional ones; the schema itself checks cross-field rules. */
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

/** A body with one field replaced, added or removed. */
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
