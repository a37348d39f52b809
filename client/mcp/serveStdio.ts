import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { createTruefillClient, type TruefillClient, type TruefillClientOptions } from '../createTruefillClient.ts';
import { AnswerPendingError, TruefillError } from '../errors.ts';
import type { PretradeRequest, QuoteRequest } from '../wire.ts';

/**
 * MCP over stdio: the service's own tools, as it lists them, paid for by the user's wallet within the spend limit.
 * Ends when the other side closes stdin.
 */
export async function serveStdio(options: TruefillClientOptions): Promise<void> {
  const { tools, instructions, version } = await listTools(options.url);
  const truefill = createTruefillClient(options);
  const server = new Server(
    { name: 'truefill', version },
    {
      capabilities: { tools: {} },
      instructions: `${instructions}\nHere the wallet of the user pays by itself, up to a limit. Spent and left are told with each answer.`,
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(markSpending) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(truefill, params.name, params.arguments ?? {}),
  );
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  // The SDK's stdio transport does not notice that its other side has gone.
  process.stdin.once('end', () => void server.close());
  await server.connect(new StdioServerTransport());
  await closed;
}

/** Hosts may run read-only tools without asking. Which tools spend the user's money is not left to the service. */
export function markSpending(tool: Tool): Tool {
  if (tool.name === 'health') return tool;
  const spends = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
  return { ...tool, annotations: { ...tool.annotations, ...spends } };
}

/** Names, words and schemas are the service's: asked once, over its own MCP. */
async function listTools(url: string) {
  const client = new Client({ name: 'truefill', version: '1.0.0' });
  // The SDK's own types do not hold under exactOptionalPropertyTypes.
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)) as Transport);
  try {
    const { tools } = await client.listTools();
    return {
      tools,
      instructions: client.getInstructions() ?? '',
      version: client.getServerVersion()?.version ?? '1.0.0',
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
    const answer = await ask(truefill, name, input);
    return {
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: { ...answer },
      _meta: { 'truefill/spentUsd': truefill.spentUsd },
    };
  } catch (error) {
    if (!(error instanceof TruefillError)) throw error;
    const pending = error instanceof AnswerPendingError ? { pending: error.pending } : {};
    const body = { error: error.name, detail: error.message, ...pending, spentUsd: truefill.spentUsd };
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
  }
}

function ask(truefill: TruefillClient, name: string, input: Record<string, unknown>): Promise<object> {
  switch (name) {
    case 'quote':
      return truefill.quote(input as unknown as QuoteRequest);
    case 'pretrade_check':
      return truefill.pretradeCheck(input as unknown as PretradeRequest);
    case 'health':
      return truefill.health();
    default:
      return Promise.reject(new TruefillError(`There is no tool ${name}.`));
  }
}
