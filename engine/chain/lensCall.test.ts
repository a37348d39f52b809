import { expect, test } from 'vitest';
import { createLensCaller, LensRefusedError } from './lensCall.ts';
import { NodeRefusedError } from './node.ts';
import type { RpcReply } from './rpcEndpoint.ts';
import { testNode } from './testNode.ts';

const header = {
  number: '0x10',
  timestamp: '0x10',
  hash: `0x${'11'.repeat(32)}`,
  parentHash: `0x${'22'.repeat(32)}`,
  baseFeePerGas: '0x1',
};

/** Calls the lens at a node that replies to `eth_call` like this. */
async function callLens(reply: RpcReply) {
  const node = testNode({
    chain: 'base',
    send: async (calls) => calls.map(({ method }) => (method === 'eth_getBlockByNumber' ? { result: header } : reply)),
  });
  const error: unknown = await createLensCaller()
    .test(node, '0x')
    .catch((thrown: unknown) => thrown);
  return error;
}

test('null for a lens call does not show that the node refuses state overrides', async () => {
  const error = await callLens({ result: null });
  expect(error).toBeInstanceOf(NodeRefusedError);
  expect(error).not.toBeInstanceOf(LensRefusedError);
});

test.each([
  ['an error', { error: { code: -32_602, message: 'too many arguments, want at most 2' } }],
  ['an empty result', { result: '0x' }],
])('%s shows that the node does not run the lens', async (_, reply) => {
  expect(await callLens(reply)).toBeInstanceOf(LensRefusedError);
});
