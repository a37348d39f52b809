import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import {
  describeFailure,
  mcpInstructions,
  type mcpTools,
  type ServiceFacts,
  serviceVersion,
} from '../../../router/index.ts';
import { bytesOf } from '../body.ts';
import { type AddressLimit, keyOf } from '../limits/addressLimit.ts';
import { localsOf } from '../locals.ts';
import { parseJson } from '../readBody.ts';
import { type CallDeps, callTool } from './callTool.ts';
import { countMessages } from './countMessages.ts';

export interface McpDeps extends Omit<CallDeps, 'requestId'> {
  facts: Pick<ServiceFacts, 'baseUrl'>;
  tools: ReturnType<typeof mcpTools>;
  limitAddress: AddressLimit;
}

/** Headers that the MCP SDK reads, in any revision. */
const transportHeaders = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Serves MCP over streamable HTTP without sessions: a new server answers each POST. Supports revision 2026-07-28 and
 * earlier ones. Payments use x402's MCP transport: `_meta` of the call and of its result.
 */
export function serveMcp(deps: McpDeps): (req: ExpressRequest, res: ExpressResponse) => Promise<void> {
  return async (req, res) => {
    const body = parseJson(req.get('content-type'), bytesOf(req));
    countMessages(body, deps.limitAddress, req, res);
    const { requestId, countForWallet } = localsOf(res);
    const server = createServer(deps, { requestId, countForWallet, client: keyOf(req.ip) });
    const request = toWebRequest(req);
    try {
      const response = (await isLegacyRequest(request, body))
        ? await serveLegacy(server, request, body)
        : await createMcpHandler(() => server, { legacy: 'reject' }).fetch(request, { parsedBody: body });
      await send(response, res);
    } catch (failure) {
      throw describeFailure(failure);
    } finally {
      await server.close();
    }
  };
}

function createServer(
  { facts, tools, limitAddress: _, ...deps }: McpDeps,
  request: Pick<CallDeps, 'requestId' | 'countForWallet' | 'client'>,
): Server {
  const server = new Server(
    { name: 'truefill', version: serviceVersion },
    { capabilities: { tools: {} }, instructions: mcpInstructions(facts) },
  );
  // The SDK does not answer a cancelled message. A batch is answered as a whole, so it would wait for ever.
  server.removeNotificationHandler('notifications/cancelled');
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', ({ params }) => callTool(params, { ...deps, ...request }));
  return server;
}

/** Serves revisions before 2026-07-28 as JSON; the fallback of `createMcpHandler` would return an event stream. */
async function serveLegacy(server: Server, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

/**
 * The URL is constant, because some Host headers form no valid URL. There is no abort signal: a paid call runs to its end
 * and its answer is stored even if the client disconnects.
 */
function toWebRequest(req: ExpressRequest): Request {
  const headers = new Headers();
  for (const name of transportHeaders) {
    const value = req.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers });
}

async function send(response: Response, res: ExpressResponse): Promise<void> {
  const contentType = response.headers.get('content-type');
  if (contentType !== null) res.setHeader('Content-Type', contentType);
  res.status(response.status).end(Buffer.from(await response.arrayBuffer()));
}
