import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { explainPending, explainUncharged } from '../cli/explainPending.ts';
import { createTruefillClient, type TruefillClient, type TruefillClientOptions } from '../createTruefillClient.ts';
import { AnswerPendingError, TruefillError, UnavailableError } from '../errors.ts';
import { version as packageVersion } from '../version.ts';
import type { PretradeRequest, QuoteRequest, TransactionRequest } from '../wire.ts';

/**
 * Serves MCP over stdio, in revision 2026-07-28 and earlier. It lists the tools of the service and pays for calls with the
 * user's wallet within the spend limit. Resolves after the host has closed stdin.
 */
export async function serveStdio(options: TruefillClientOptions): Promise<void> {
  const { tools, instructions, version } = await listTools(options.url);
  const truefill = createTruefillClient(options);
  const createServer = () => {
    const server = new Server(
      { name: 'truefill', version },
      {
        capabilities: { tools: {} },
        instructions: `${instructions}\nThis server pays with the user's wallet automatically, up to a limit. _meta["truefill/spentUsd"] of each answer is the total spent in US dollars.`,
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: tools.map(markSpending) }));
    server.setRequestHandler('tools/call', ({ params }) => callTool(truefill, params.name, params.arguments ?? {}));
    return server;
  };
  const ended = once(process.stdin, 'end');
  const connection = serveConnection(createServer);
  await ended;
  await connection.close();
}

/**
 * Marks a tool as spending. Hosts may run read-only tools without confirmation, so this overrides the service's hints.
 */
export function markSpending(tool: Tool): Tool {
  if (tool.name === 'health' || tool.name === 'build_transaction') return tool;
  const spends = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
  return { ...tool, annotations: { ...tool.annotations, ...spends } };
}

/** Fetches names, descriptions and schemas of the tools from the service's MCP endpoint. */
async function listTools(url: string) {
  const client = new Client({ name: 'truefill', version: packageVersion }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
  try {
    const { tools } = await client.listTools();
    return {
      tools,
      instructions: client.getInstructions() ?? '',
      version: client.getServerVersion()?.version ?? packageVersion,
    };
  } finally {
    await client.close();
  }
}

async function callTool(
  truefill: TruefillClient,
  name: string,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  try {
    const answer = await requestAnswer(truefill, name, input);
    return {
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: { ...answer },
      _meta: { 'truefill/spentUsd': truefill.spentUsd },
    };
  } catch (error) {
    if (!(error instanceof TruefillError)) throw error;
    const body = { error: error.name, detail: describeError(error), spentUsd: truefill.spentUsd };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
  }
}

/** For a pending payment, the command that fetches its answer: hosts log the text, so it does not contain the signature. */
function describeError(error: TruefillError): string {
  if (error instanceof AnswerPendingError) return explainPending(error).join('\n');
  if (error instanceof UnavailableError && error.pending) return explainUncharged(error.pending, error).join('\n');
  return error.message;
}

function requestAnswer(truefill: TruefillClient, name: string, input: Record<string, unknown>): Promise<object> {
  switch (name) {
    case 'quote':
      return truefill.quote(input as unknown as QuoteRequest);
    case 'pretrade_check':
      return truefill.pretradeCheck(input as unknown as PretradeRequest);
    case 'build_transaction':
      return truefill.buildTransaction(input as unknown as TransactionRequest);
    case 'health':
      return truefill.health();
    default:
      return Promise.reject(
        new TruefillError(`Unknown tool ${name}. Nothing was charged. Call tools/list for the names.`),
      );
  }
}
