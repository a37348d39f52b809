import type { Limits } from '../service.ts';

type Json = Record<string, unknown>;

/** The parts of a JSON Schema that discovery reads. */
export interface Schema {
  [key: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

interface Content {
  'application/json': { schema: { $ref: string }; example: unknown };
}

/** A paid operation of the OpenAPI document, as `router/openapi/paidOperation.ts` writes it. */
interface PaidOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  requestBody: { content: Content };
  responses: Record<string, { description: string; content: Content }>;
  'x-payment-info': { price: { amount: string } };
  'x-canonical-path': string;
  'x-free-trial': { group: string; enabled: boolean };
  'x-limits': Limits;
  'x-mcp-tool'?: string;
}

/** One paid call, as the OpenAPI document describes it. */
export interface DocumentedCall {
  /** The `operationId` of the canonical path; also the procedure's name. */
  name: string;
  path: string;
  aliases: string[];
  summary: string;
  description: string;
  tags: string[];
  priceUsd: string;
  hasFreeCall: boolean;
  limits: Limits;
  /** Name of the MCP tool. */
  mcpTool: string | undefined;
  exampleRequest: unknown;
  exampleAnswer: unknown;
  /** JSON references into the document, e.g. `#/components/schemas/Quote`. */
  inputRef: string;
  outputRef: string;
  /** One line for each error: status, code and description. */
  errors: string[];
}

/**
 * The paid calls of an OpenAPI document. Aliases are listed with their canonical path.
 * @throws {TypeError} an operation has no 200 response
 */
export function documentedCalls(document: Json): DocumentedCall[] {
  const operations = paidOperations(document);
  return operations
    .filter(([path, operation]) => operation['x-canonical-path'] === path)
    .map(([path, operation]) => {
      const body = operation.requestBody.content['application/json'];
      const { '200': success, ...failures } = operation.responses;
      if (!success) throw new TypeError(`POST ${path} has no 200 response.`);
      const answer = success.content['application/json'];
      return {
        name: operation.operationId,
        path,
        aliases: operations.flatMap(([alias, { 'x-canonical-path': canonical }]) =>
          canonical === path && alias !== path ? [alias] : [],
        ),
        summary: operation.summary,
        // The other paragraphs repeat the price and the free call.
        description: operation.description.split('\n\n')[0] ?? '',
        tags: operation.tags,
        priceUsd: operation['x-payment-info'].price.amount,
        hasFreeCall: operation['x-free-trial'].enabled,
        limits: operation['x-limits'],
        mcpTool: operation['x-mcp-tool'],
        exampleRequest: body.example,
        exampleAnswer: answer.example,
        inputRef: body.schema.$ref,
        outputRef: answer.schema.$ref,
        errors: Object.entries(failures).flatMap(([status, { description }]) =>
          description.split('\n\n').map((line) => `${status} ${line}`),
        ),
      };
    });
}

/** Every paid path with its POST operation, aliases included. */
export function paidOperations(document: Json): [path: string, operation: PaidOperation][] {
  const paths = document.paths as Record<string, { post?: PaidOperation }>;
  return Object.entries(paths).flatMap(([path, { post }]) => (post?.['x-payment-info'] ? [[path, post]] : []));
}

/**
 * The schema that a JSON reference points to.
 * @throws {TypeError} the document does not contain it
 */
export function schemaAt(document: Json, ref: string): Schema {
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  const schema = schemas[ref.slice('#/components/schemas/'.length)];
  if (!schema) throw new TypeError(`The document has no schema ${ref}.`);
  return schema;
}
