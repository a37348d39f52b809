import { numberToHex } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { poolEventsOf, type RpcEndpoint } from '../../engine/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { sandboxVenues } from '../../server/sandboxMode.ts';
import type { Stores } from '../../server/storage/index.ts';
import { createPoolIndexer, type PoolIndexer } from '../../server/vendors/index.ts';
import { openTemporaryStores } from '../support/temporaryStores.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf } from './market.ts';

// A node that limits ranges of logs: Balancer's weighted pools come from the index of pools.

const opened = useOpenChain('polygon');
const token = ledgerToken('WINDEX', 2, taxedTokenArtifact, [[0, 0, 0]]);
const longest = 50;
let chain: SandboxChain;
let stores: Stores;
let index: PoolIndexer | undefined;

beforeAll(async () => {
  chain = await opened.builder.list({
    tokens: [token],
    pools: [{ venue: 'balancer-v2', pair: ['WINDEX', 'WETH'], usd: 400_000, weights: [80, 20], tier: 3000 }],
  });
  await createNodeClient(chain.rpcUrl).call('anvil_mine', [numberToHex(200), numberToHex(1)]);
  stores = await openTemporaryStores();
});
afterAll(async () => {
  await index?.close();
  await stores?.close();
});

/** The node, with a limit of ranges. */
function limitedNode(): RpcEndpoint {
  const node = loopbackEndpoint(chain.rpcUrl);
  const client = createNodeClient(chain.rpcUrl);
  return {
    label: 'limited',
    async send(calls, options) {
      const head = Number(await client.call('eth_blockNumber'));
      const replies = await node.send(calls, options);
      return replies.map((reply, at) => {
        const call = calls[at];
        if (call?.method !== 'eth_getLogs') return reply;
        const { fromBlock, toBlock } = call.params[0] as { fromBlock: string; toBlock: string };
        const size = (toBlock === 'latest' ? head : Number(toBlock)) - Number(fromBlock) + 1;
        return size <= longest ? reply : { error: { code: -32_005, message: `limited to ${longest} blocks` } };
      });
    },
  };
}

const quote = (node: RpcEndpoint) => {
  const engine = engineOver(chain, node, [], index && { poolIndexes: { polygon: index } });
  const [tokenIn, tokenOut] = [tokenOf(chain, 'WINDEX').address, tokenOf(chain, 'WETH').address];
  return engine.quote({ chain: 'polygon', tokenIn, tokenOut, size: { tokenIn: '1000' } });
};

test('a token with only a weighted pool has a route once the index has its block', async () => {
  const node = limitedNode();
  const without = await quote(node);
  expect(without.route.legs).toEqual([]);
  expect(without.flags.find(({ code }) => code === 'NO_ROUTE')?.facts).toMatchObject({ poolsMayBeMissing: true });

  index = createPoolIndexer({
    endpoints: [node],
    store: stores.facts('polygon').poolIndex,
    events: poolEventsOf('polygon', { extraVenues: sandboxVenues }),
    limits: { pauseMs: 0, everyMs: 100 },
    onFault: () => undefined,
  });
  await vi.waitUntil(() => index?.state().status === 'complete', { timeout: 30_000 });
  const answer = await quote(node);
  expect(answer.route.legs).toMatchObject([{ dex: 'balancer-v2' }]);
  const paid = await executed(chain, answer.route.legs, answer.amountIn, opened.trader);
  expect(paid?.received).toBe(answer.amountOut);
}, 120_000);
