import { numberToHex } from 'viem';
import { expect, test, vi } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/toCandidatePools.ts';
import { createPoolSearcher } from './foundPools.ts';

const deployment = deployments.polygon;
const candidatePools = toCandidatePools(deployment.venues);
const hash = numberToHex(9, { size: 32 });
const header = { number: '0x64', hash, parentHash: hash, timestamp: '0x64' };
const [wpol, usdc] = deployment.routingAssets.map(({ address }) => address) as [LowerAddress, LowerAddress];
const newToken: LowerAddress = '0x1111111111111111111111111111111111111111';
const minute = 60_000;

/** A searcher over a node whose logs are empty; while `isHeld`, replies wait for `release`. */
function searcherAt() {
  const state = { now: 0, requests: 0, isHeld: false, isRefused: false, release: () => {} };
  const node = testNode({
    chain: 'polygon',
    async send(calls) {
      state.requests += 1;
      if (state.isHeld) {
        const { release } = state;
        await new Promise<void>((resolve) => {
          state.release = () => {
            release();
            resolve();
          };
        });
      }
      return calls.map(({ method }) => {
        if (method === 'eth_getBlockByNumber') return { result: header };
        return state.isRefused ? { error: { code: -32_005, message: 'range' } } : { result: [] };
      });
    },
  });
  const searcher = createPoolSearcher({ deployment, candidatePools, now: () => state.now });
  return { state, search: (tokenIn: LowerAddress) => searcher.search({ tokenIn, tokenOut: usdc }, node), searcher };
}

/** The number of requests of one search. */
async function requestsOf({ state, search }: ReturnType<typeof searcherAt>, token: LowerAddress): Promise<number> {
  const before = state.requests;
  await search(token);
  return state.requests - before;
}

test('searches a token once in ten minutes', async () => {
  const all = searcherAt();
  expect(await requestsOf(all, newToken)).toBe(2);
  expect(await requestsOf(all, newToken)).toBe(0);
  all.state.now += 10 * minute;
  expect(await requestsOf(all, newToken)).toBe(2);
});

test('searches a forgotten token again, once', async () => {
  const all = searcherAt();
  await all.search(newToken);
  all.searcher.forget({ tokenIn: newToken, tokenOut: usdc });
  expect(await requestsOf(all, newToken)).toBe(2);
  expect(await requestsOf(all, newToken)).toBe(0);
});

test('searches a token again, once, if it was forgotten during its search', async () => {
  const all = searcherAt();
  all.state.isHeld = true;
  const running = all.search(newToken);
  await vi.waitFor(() => expect(all.state.requests).toBe(2));
  all.searcher.forget({ tokenIn: newToken, tokenOut: usdc });
  all.state.isHeld = false;
  all.state.release();
  await running;
  expect(await requestsOf(all, newToken)).toBe(2);
  expect(await requestsOf(all, newToken)).toBe(0);
});

test('keeps the retry delay of a failed search if the token is forgotten', async () => {
  const all = searcherAt();
  all.state.isRefused = true;
  await all.search(newToken);
  all.searcher.forget({ tokenIn: newToken, tokenOut: usdc });
  expect(await requestsOf(all, newToken)).toBe(0);
});

test('searches the weighted pools of routing assets again if a pair of them is forgotten', async () => {
  const all = searcherAt();
  await all.search(wpol);
  await vi.waitFor(() => expect(all.state.requests).toBe(1));
  all.searcher.forget({ tokenIn: wpol, tokenOut: usdc });
  await all.search(wpol);
  await vi.waitFor(() => expect(all.state.requests).toBe(2));
  await all.search(wpol);
  expect(all.state.requests).toBe(2);
});

test('searches the weighted pools of routing assets again if they were forgotten during their search', async () => {
  const all = searcherAt();
  all.state.isHeld = true;
  await all.search(wpol);
  await vi.waitFor(() => expect(all.state.requests).toBe(1));
  all.searcher.forget({ tokenIn: wpol, tokenOut: usdc });
  all.state.isHeld = false;
  all.state.release();
  await vi.waitFor(async () => {
    await all.search(wpol);
    expect(all.state.requests).toBe(2);
  });
});
