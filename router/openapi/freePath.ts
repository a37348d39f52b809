import { errorResponses } from './errorResponses.ts';
import { headerRefs } from './responseHeaders.ts';

export interface FreePath {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /** Name of a schema in the components; text if undefined. */
  schema?: string;
  /** Of a schema's content; application/json if undefined. */
  mediaType?: string;
  mayBeMissing?: true;
  /** The MCP tool with the same answer. */
  tool?: string;
  /** 503 has the same body. */
  unready?: string;
}

/** The free paths for machines. */
export const freePaths: readonly FreePath[] = [
  {
    path: '/health',
    operationId: 'health',
    summary: 'Liveness: version, mode and the state of each chain',
    description: 'Answers from memory. 200 as long as the process answers; look at `chains` for what it can read.',
    schema: 'Health',
    tool: 'health',
  },
  {
    path: '/ready',
    operationId: 'ready',
    summary: 'Whether a balancer may send requests here',
    description:
      '503 while the process starts, or drains before it ends, or while its store does not answer; `missing` names which. A chain that is down does not count: see `/health`.',
    schema: 'Ready',
    unready: 'Not ready: `missing` lists the causes.',
  },
  {
    path: '/sandbox',
    operationId: 'sandbox',
    summary: 'What a visitor needs to play; 404 outside of sandbox mode',
    description: 'Local RPC URLs, funded wallets with their keys, and every seeded token with what it is.',
    schema: 'Sandbox',
    mayBeMissing: true,
  },
  {
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'This document',
    description: 'OpenAPI 3.1, computed from the router that serves the calls.',
    schema: 'Document',
  },
  {
    path: '/llms.txt',
    operationId: 'llms',
    summary: 'All that a language model needs to buy a call',
    description: 'Prices, bodies, how to sign and when to retry, as Markdown.',
  },
  {
    path: '/llms-full.txt',
    operationId: 'llmsFull',
    summary: 'The same with every field, example and error',
    description: 'As /llms.txt, followed by the fields of each answer, whole examples and the table of errors.',
  },
  {
    path: '/.well-known/agent-card.json',
    operationId: 'agentCard',
    summary: 'A2A agent card',
    description: 'Protocol 0.3.0: a skill for each thing that is sold, with its price and examples.',
    schema: 'Document',
  },
  {
    path: '/.well-known/api-catalog',
    operationId: 'apiCatalog',
    summary: 'API catalog (RFC 9727)',
    description: 'A link set with the paid calls, this document, the documentation and the status.',
    schema: 'Document',
    mediaType: 'application/linkset+json',
  },
  {
    path: '/.well-known/x402',
    operationId: 'wellKnownX402',
    summary: 'What is paid for here',
    description: 'The resources that answer 402, for crawlers.',
    schema: 'Document',
  },
  {
    path: '/.well-known/x402.json',
    operationId: 'wellKnownX402Json',
    summary: 'What is paid for here, with the offers',
    description: 'The newer draft: each resource with its accepts, input and output.',
    schema: 'Document',
  },
  {
    path: '/.well-known/did.json',
    operationId: 'didDocument',
    summary: 'The key that signs receipts, as a DID document',
    description: 'did:web of this host; `kid` of a receipt names the key. 404 where answers carry no receipts.',
    schema: 'Document',
    mayBeMissing: true,
  },
  {
    path: '/.well-known/jwks.json',
    operationId: 'jwks',
    summary: 'The key that signs receipts, as a JSON Web Key Set',
    description: 'RFC 7517. The same key as in the DID document. 404 where answers carry no receipts.',
    schema: 'Document',
    mayBeMissing: true,
  },
];

/** Their paths. */
export const freeDocuments: readonly string[] = freePaths.map(({ path }) => path);

/** A GET that costs nothing. */
export function freePath(about: FreePath): Record<string, unknown> {
  return {
    get: {
      operationId: about.operationId,
      tags: ['free'],
      summary: about.summary,
      description: about.description,
      security: [],
      ...(about.tool !== undefined && { 'x-mcp-tool': about.tool }),
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
            description: about.unready,
            headers: headerRefs('Link', 'Retry-After', 'X-Request-Id'),
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${about.schema}` } } },
          },
        }),
        ...errorResponses(about.mayBeMissing ? ['NOT_FOUND', 'METHOD_NOT_ALLOWED'] : ['METHOD_NOT_ALLOWED']),
      },
    },
  };
}
