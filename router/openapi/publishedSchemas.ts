import { z } from 'zod';
import { catalogue, freeCalls } from '../catalogue.ts';
import { errorBody } from '../errors/toErrorBody.ts';
import {
  errorExample,
  healthExample,
  paymentRequiredExample,
  readyExample,
  sandboxExample,
} from '../free/freeExamples.ts';
import { healthBody } from '../free/healthBody.ts';
import { readyBody } from '../free/readyBody.ts';
import { sandboxBody } from '../free/sandboxBody.ts';
import { fillExamples } from './fillExamples.ts';
import { paymentRequiredBody } from './paymentRequiredBody.ts';
import { headerContents } from './responseHeaders.ts';
import { toSchema } from './toSchema.ts';

type Json = Record<string, unknown>;

const jsonDocument = z
  .looseObject({})
  .meta({ title: 'Document', description: 'A JSON document that has its own public specification.', examples: [{}] });

/** The component schemas by name, with an example for each field. */
export function publishedSchemas(): Record<string, Json> {
  return {
    ...Object.fromEntries(
      [...catalogue, ...freeCalls].flatMap((item) => [
        [schemaName(item.input), fillExamples(toSchema(item.input, 'input'), item.exampleRequest)],
        [schemaName(item.output), fillExamples(toSchema(item.output, 'output'), item.exampleAnswer)],
      ]),
    ),
    ...Object.fromEntries(
      headerContents.map((schema) => {
        const published = toSchema(schema, 'output');
        return [schemaName(schema), fillExamples(published, (published.examples as unknown[])[0])];
      }),
    ),
    Error: withExample(errorBody, errorExample),
    PaymentRequired: withExample(paymentRequiredBody, paymentRequiredExample),
    Health: withExample(healthBody, healthExample),
    Ready: withExample(readyBody, readyExample),
    Sandbox: withExample(sandboxBody, sandboxExample),
    Document: toSchema(jsonDocument, 'output'),
  };
}

function withExample(schema: z.ZodType, example: unknown): Json {
  return { ...fillExamples(toSchema(schema, 'output'), example), examples: [example] };
}

/**
 * The component name of a schema: its title.
 * @throws {TypeError} the schema has no title
 */
export function schemaName(schema: z.ZodType): string {
  const title = schema.meta()?.title;
  if (!title) throw new TypeError('A published schema needs a title in its meta.');
  return title;
}
