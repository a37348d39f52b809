import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Request, Response } from 'express';
import { describeFailure, mcpInstructions, mcpTools, type PlaceFacts, serviceVersion } from '../../router/index.ts';
import { bytesOf } from '../http/body.ts';
import { localsOf } from '../http/locals.ts';
import { parseJson } from '../http/readBody.ts';
import type { AddressLimit } from '../limits/addressLimit.ts';
import { type CallDeps, callTool } from './callTool.ts';
import { countMessages } from './countMessages.ts';

export interface McpDeps extends Omit<CallDeps, 'requestId'> {
  place: PlaceFacts;
  limitAddress: AddressLimit;
}

/**
 * MCP over streamable HTTP, without sessions: each POST is answered by a server of its own, as JSON. Tools are paid for
 * as in x402's MCP transport: in `_meta` of the call and of its result.
 */
export function serveMcp({ place, limitAddress, ...deps }: McpDeps): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    const { requestId } = localsOf(res);
    const body = parseJson(req.get('content-type'), bytesOf(req));
    countMessages(body, limitAddress, req, res);
    const server = new Server(
      { name: 'truefill', version: serviceVersion },
      { capabilities: { tools: {} }, instructions: mcpInstructions(place) },
    );
    // What is cancelled gets no answer, and a batch is answered when all of it is: it would wait for ever.
    server.removeNotificationHandler('notifications/cancelled');
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: mcpTools(place) }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => callTool(params, { ...deps, requestId }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    res.once('close', () => void server.close());
    // The transport makes a URL of it and answers one that is none, or missing, by an empty 400; no host is asked for here.
    req.headers.host = 'localhost';
    try {
      // Its own types do not hold under exactOptionalPropertyTypes.
      await server.connect(transport as Transport);
      await transport.handleRequest(req, res, body);
    } catch (failure) {
      throw describeFailure(failure);
    }
  };
}
