import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import { soliditySlot, token, tokenNode } from '../../../tests/support/engine/testToken.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { b20Singletons } from '../../venues/b20/b20.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { createFundingMemory } from './fundingMemory.ts';
import { isPausedB20 } from './isPausedB20.ts';
import { loadFunding } from './loadFunding.ts';

test('the funding of a token is found once, and kept', async () => {
  const data = { deployment: deployments.base, funding: createFundingMemory(() => 0) };
  const { node, requests } = tokenNode({
    balance: (holder) => soliditySlot(3n, holder),
    allowance: (owner, spender) => soliditySlot(4n, owner, spender),
  });
  const found = await loadFunding(data, node, token);
  expect(found).toMatchObject({ decimals: 18 });
  expect([await loadFunding(data, node, token), data.funding.get(token), requests.length]).toEqual([found, found, 1]);
});

test('a funding that the node did not show is not kept', async () => {
  const data = { deployment: deployments.base, funding: createFundingMemory(() => 0) };
  expect(await loadFunding(data, tokenNode({ hasAccessLists: false }).node, token)).toBeUndefined();
  expect(data.funding.get(token)).toBeUndefined();
});

const b20 = toLowerAddress(`0xb2${'00'.repeat(9)}01${'12'.repeat(9)}`);
const [yes, no] = [1n, 0n].map((value): RpcReply => ({ result: `0x${value.toString(16).padStart(64, '0')}` }));

async function paused(address: typeof b20, replies: readonly (RpcReply | undefined)[]) {
  const sent: RpcCall[] = [];
  const node = testNode({
    chain: 'base',
    send: async (calls) => {
      sent.push(...calls);
      return replies.flatMap((reply) => reply ?? []);
    },
  });
  return { isPaused: await isPausedB20(node, address, '0x7'), sent };
}

test('a created B20 token whose transfers are paused is paused at the block', async () => {
  const { isPaused, sent } = await paused(b20, [yes, yes]);
  expect(isPaused).toBe(true);
  expect(sent.map(({ params: [call, block] }) => [(call as { to: string }).to, block])).toEqual([
    [b20Singletons.factory, '0x7'],
    [b20, '0x7'],
  ]);
});

test.each<[string, readonly (RpcReply | undefined)[]]>([
  ['one that is not created', [no, yes]],
  ['one whose transfers run', [yes, no]],
  ['a failed read', [yes, { error: { code: -32_000, message: 'unavailable' } }]],
])('%s is not paused', async (_, replies) => {
  expect((await paused(b20, replies)).isPaused).toBe(false);
});

test('another token costs no request', async () => {
  expect(await paused(token, [yes, yes])).toEqual({ isPaused: false, sent: [] });
});
