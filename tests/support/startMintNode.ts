import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface MintNode {
  url: string;
  /** The methods of the requests. */
  methods: string[];
  close(): void;
}

/** A Solana node that has only the mint of USDC. */
export async function startMintNode(): Promise<MintNode> {
  const mint = Buffer.alloc(82);
  mint[44] = 6;
  mint[45] = 1;
  const account = {
    data: [mint.toString('base64'), 'base64'],
    executable: false,
    lamports: 1,
    owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    rentEpoch: 0,
    space: 82,
  };
  const methods: string[] = [];
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const chunk of req) text += chunk;
    const { id, method } = JSON.parse(text);
    methods.push(method);
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot: 1 }, value: account } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, methods, close: () => server.close() };
}
