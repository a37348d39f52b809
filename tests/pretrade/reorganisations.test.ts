import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RpcCall } from '../../engine/chain/rpcEndpoint.ts';
import type { PretradeAnswer } from '../../engine/index.ts';
import { exitSelector } from '../../engine/pretrade/exit/encodeExit.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { addressIn, checkerOn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { explorerVendors } from './explorerVendors.ts';

// After a reorganisation a block number is another block. A check reads everything at one block, so it starts again.

let fixture: TestTokensOnBase;
beforeAll(async () => {
  fixture = await startTestTokens();
});
afterAll(() => fixture?.sandbox.close());

const reorganise = () => createNodeClient(fixture.base.rpcUrl).call('anvil_reorg', [1, []]);

const isExit = ({ params }: RpcCall) =>
  (params[0] as { data?: string } | undefined)?.data?.startsWith(exitSelector) === true;
/** Whether a request starts a check: it measures the pools at the latest block, and if the token is known also trades. */
const startsCheck = (calls: readonly RpcCall[]) =>
  calls.some((call) => (isExit(call) || call.method === 'eth_simulateV1') && call.params[1] === 'latest');
/** Whether a request reads the state at a block number, or logs up to one. */
const isPinned = (calls: readonly RpcCall[]) =>
  calls.some(({ method, params }) =>
    method === 'eth_getLogs'
      ? /^0x/.test((params[0] as { toBlock: string }).toBlock)
      : ['eth_call', 'eth_simulateV1'].includes(method) && /^0x/.test(String(params[1])),
  );

/** Whether a request also reads the header of its block. Otherwise only a later request shows the reorganisation. */
const readsHeader = (calls: readonly RpcCall[]) => calls.some(({ method }) => method === 'eth_getBlockByNumber');

interface Run {
  answer: PretradeAnswer;
  /** Requests at the block of the check, up to the reorganisation. */
  pinned: number;
  /** Those that simulate, measure pools or read logs, without the header. */
  withoutHeader: number;
  /** Requests that start a check, before and after the reorganisation. */
  starts: [before: number, after: number];
}

/** A first check by a new engine. Before its pinned request `at`, another block replaces the latest one; -1: never. */
async function checkWith(symbol: string, at: number): Promise<Run> {
  await createNodeClient(fixture.base.rpcUrl).call('anvil_mine', ['0x1']);
  const { endpoint } = checkerOn(fixture.base);
  const starts: Run['starts'] = [0, 0];
  let [pinned, withoutHeader] = [0, 0];
  let isReorganised = false;
  const send: typeof endpoint.send = async (calls, options) => {
    if (startsCheck(calls)) starts[isReorganised ? 1 : 0] += 1;
    if (isPinned(calls) && !readsHeader(calls) && calls.some((call) => isExit(call) || call.method !== 'eth_call'))
      withoutHeader += 1;
    if (isPinned(calls) && !isReorganised) {
      pinned += 1;
      if (pinned === at + 1) {
        isReorganised = true;
        await reorganise();
      }
    }
    return endpoint.send(calls, options);
  };
  const vendors = explorerVendors([fixture.testTokens.deployer], 1);
  const checker = checkerOver(fixture.base, { label: endpoint.label, send }, { powerDeadlineMs: 30_000, vendors });
  const answer = await checker.check({ chain: 'base', token: addressIn(fixture, symbol) });
  return { answer, pinned, withoutHeader, starts };
}

const factsOf = ({ verdict, triggers, quote, sources }: PretradeAnswer) => ({
  ...{ verdict, triggers },
  isQuoted: quote !== null,
  sourceOfQuote: sources.quote,
});

test.each([
  ['PLAIN', 'trades, owner powers, holders'],
  ['COOLDOWN', 'trades with blocks between purchase and sale'],
  ['ABOVE', 'sales over whole price ranges'],
  ['FARHOP', 'markets of a counter-asset, the quote with pools of logs'],
  ['JUNKPAIR', 'pairs outside the covered factories'],
])(
  'behavior: a check of %s starts again at once when its block is replaced before any request (%s)',
  async (symbol) => {
    const { answer: expected, pinned, withoutHeader } = await checkWith(symbol, -1);
    expect(pinned).toBeGreaterThan(1);
    expect(withoutHeader).toBe(0);
    for (let at = 0; at < pinned; at += 1) {
      const { answer, starts } = await checkWith(symbol, at);
      expect([at, starts, factsOf(answer)]).toEqual([at, [1, 1], factsOf(expected)]);
    }
  },
);
