import { errorResponses } from './errorResponses.ts';
import { headerRefs } from './responseHeaders.ts';

/** A free GET of the OpenAPI document. */
export interface FreePath {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /** Component name of the response schema. If undefined, the response is plain text. */
  schema?: string;
  /** Media type of a response with a schema; application/json if undefined. */
  mediaType?: string;
  /** Some deployments return 404. */
  mayBeMissing?: true;
  /** Name of the MCP tool that returns the same answer. */
  mcpTool?: string;
  /** The 503 response. Without a schema its body is that of 200. If undefined, there is no 503. */
  unready?: { description: string; retries?: true; schema?: Record<string, unknown> };
}

/** The free paths for machines. */
export const freePaths: readonly FreePath[] = [
  {
    path: '/health',
    operationId: 'health',
    summary: 'Liveness: version, mode and the state of each chain',
    description:
      'Returned from memory: 200 while the process runs, 503 while it shuts down. `chains` contains the state of each chain.',
    schema: 'Health',
    mcpTool: 'health',
    unready: {
      description: 'The process shuts down and accepts no more calls.',
      schema: { type: 'object', properties: { status: { const: 'draining' } }, required: ['status'] },
    },
  },
  {
    path: '/ready',
    operationId: 'ready',
    summary: 'Readiness: whether a load balancer may send requests to this process',
    description:
      '503 while the process starts or shuts down, or while the payment database cannot be written; `missing` lists the causes. An unavailable chain does not cause 503: see `/health`.',
    schema: 'Ready',
    unready: { description: 'Not ready: `missing` lists the causes.', retries: true },
  },
  {
    path: '/sandbox',
    operationId: 'sandbox',
    summary: 'Chains, wallets and tokens of the sandbox; 404 outside of sandbox mode',
    description: 'Local RPC URLs, funded wallets with their keys, and every test token with its description.',
    schema: 'Sandbox',
    mayBeMissing: true,
  },
  {
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'This document',
    description: 'OpenAPI 3.1, generated from the router that serves the calls.',
    schema: 'Document',
  },
  {
    path: '/llms.txt',
    operationId: 'llms',
    summary: 'Instructions for language models that buy a call',
    description: 'Prices, request bodies, signatures and retries, as Markdown.',
  },
  {
    path: '/llms-full.txt',
    operationId: 'llmsFull',
    summary: '/llms.txt with every field, example and error',
    description: '/llms.txt, followed by the fields of each answer, complete examples and the list of errors.',
  },
  {
    path: '/.well-known/agent-card.json',
    operationId: 'agentCard',
    summary: 'A2A agent card',
    description: 'A2A 0.3.0: a skill for each paid call, with its price and examples.',
    schema: 'Document',
  },
  {
    path: '/.well-known/api-catalog',
    operationId: 'apiCatalog',
    summary: 'API catalog (RFC 9727)',
    description: 'Links to the paid calls, this document, the documentation and the status (RFC 9264).',
    schema: 'Document',
    mediaType: 'application/linkset+json',
  },
  {
    path: '/.well-known/x402',
    operationId: 'wellKnownX402',
    summary: 'Paid resources, for x402 crawlers',
    description: 'URLs of the resources that return 402.',
    schema: 'Document',
  },
  {
    path: '/.well-known/x402.json',
    operationId: 'wellKnownX402Json',
    summary: 'Paid resources with their payment options, for x402 crawlers',
    description: 'A newer draft of /.well-known/x402: each resource with accepts, input and output.',
    schema: 'Document',
  },
  {
    path: '/.well-known/did.json',
    operationId: 'didDocument',
    summary: 'The key that signs receipts, as a DID document',
    description:
      'did:web of this host; `kid` of a receipt is the id of the key. 404 if this deployment signs no receipts.',
    schema: 'Document',
    mayBeMissing: true,
  },
  {
    path: '/.well-known/jwks.json',
    operationId: 'jwks',
    summary: 'The key that signs receipts, as a JSON Web Key Set',
    description: 'RFC 7517. The same key as in the DID document. 404 if this deployment signs no receipts.',
    schema: 'Document',
    mayBeMissing: true,
  },
];

/** The paths of `freePaths`. */
export const freeDocuments: readonly string[] = freePaths.map(({ path }) => path);

/** The OpenAPI path item of a free path. */
export function freePath(about: FreePath): Record<string, unknown> {
  return {
    get: {
      operationId: about.operationId,
      tags: ['free'],
      summary: about.summary,
      description: about.description,
      security: [],
      ...(about.mcpTool !== undefined && { 'x-mcp-tool': about.mcpTool }),
      responses: {
        '200': {
          description: 'OK',
          headers: headerRefs('Link', 'X-Request-Id'),
          content: about.schema
            ? { [about.mediaType ?? 'application/json']: { schema: { $ref: `#/components/schemas/${about.schema}` } } }
            : { 'text/plain': { schema: { type: 'string' } } },
        },
        ...(about.unready && {
          '503': {
            description: about.unready.description,
            headers: headerRefs('Link', ...(about.unready.retries ? (['Retry-After'] as const) : []), 'X-Request-Id'),
            content: {
              'application/json': { schema: about.unready.schema ?? { $ref: `#/components/schemas/${about.schema}` } },
            },
          },
        }),
        ...errorResponses(about.mayBeMissing ? ['NOT_FOUND', 'METHOD_NOT_ALLOWED'] : ['METHOD_NOT_ALLOWED']),
      },
    },
  };
}
