import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PretradeAnswer } from '../../engine/index.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { recordSimulations } from './simulatedTrades.ts';

// Tokens and accounts that try to mislead the check.

let fixture: TestTokensOnBase;
let node: NodeClient;
beforeAll(async () => {
  fixture = await startTestTokens();
  node = createNodeClient(fixture.base.rpcUrl);
});
afterAll(() => fixture?.sandbox.close());

const addressOf = (symbol: string): Address => {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`${symbol} is not a test token.`);
  return testToken.address;
};
const recorder = () => recordSimulations(loopbackEndpoint(fixture.base.rpcUrl));
async function check(symbol: string, endpoint = recorder()): Promise<PretradeAnswer> {
  return checkerOver(fixture.base, endpoint).check({ chain: 'base', token: addressOf(symbol) });
}
const fingerprintsOf = ({ risk_profile }: PretradeAnswer) => risk_profile.transferability.fingerprints.split(', ');

async function withRevert(work: () => Promise<void>): Promise<void> {
  const snapshot = await node.call<Hex>('evm_snapshot');
  await work();
  await node.call('evm_revert', [snapshot]);
}

test('behavior: reports sale-blocked and lies-to-simulations if only simulated sales work', async () => {
  const answer = await check('SPY');
  expect(answer.risk_profile.transferability).toMatchObject({ outcome: 'sale-blocked', sellTaxRaw: null });
  expect(fingerprintsOf(answer)).toContain('lies-to-simulations');
  expect(answer.reasons[0]).toMatch(/detects simulations/);
  expect(answer).toMatchObject({ verdict: 'clear', confidence: 'low' });
  expect(answer.flags['F-FOT']).toMatchObject({ severity: 'high', value: 1 });
});

test('behavior: a token that only simulated sales work for is not reported as tradable if one simulation fails', async () => {
  for (let failing = 0; failing < 8; failing += 1) {
    const endpoint = loopbackEndpoint(fixture.base.rpcUrl);
    const { send } = endpoint;
    let seen = 0;
    endpoint.send = async (calls, options) => {
      const replies = await send(calls, options);
      return replies.map((reply, index) => {
        if (calls[index]?.method !== 'eth_simulateV1') return reply;
        seen += 1;
        return seen === failing + 1 ? { error: { code: -32_000, message: 'internal error' } } : reply;
      });
    };
    const checker = checkerOver(fixture.base, endpoint, { powerDeadlineMs: 0 });
    const { risk_profile, flags } = await checker.check({ chain: 'base', token: addressOf('SPY') });
    const { outcome, sellTaxRaw } = risk_profile.transferability;
    expect([outcome, sellTaxRaw, flags['F-FOT'].severity], `simulation ${failing}`).toEqual(
      outcome === 'unknown' ? ['unknown', null, 'unknown'] : ['sale-blocked', null, 'high'],
    );
  }
});

test('behavior: reports refuses-simulations, not sale-blocked, if only simulated sales are refused', async () => {
  const answer = await check('SHY');
  expect(answer.risk_profile.transferability.outcome).toBe('unknown');
  expect(fingerprintsOf(answer)).toContain('refuses-simulations');
  expect(answer.flags['F-FOT'].severity).toBe('unknown');
});

test('behavior: simulated traders hold less than 20 ether', async () => {
  expect((await check('RICH')).risk_profile.transferability.outcome).toBe('sale-blocked');
  const endpoint = recorder();
  await check('PLAIN', endpoint);
  const given = endpoint.recorded.flatMap(({ call }) => {
    const [{ blockStateCalls }] = call.params as [{ blockStateCalls: { stateOverrides?: object }[] }];
    return blockStateCalls.flatMap(({ stateOverrides }) =>
      Object.values(stateOverrides ?? {}).flatMap(({ balance }: { balance?: Hex }) =>
        balance ? [BigInt(balance)] : [],
      ),
    );
  });
  expect(given.length).toBeGreaterThan(10);
  for (const wei of given) expect(wei).toBeLessThan(20n * 10n ** 18n);
});

test('behavior: two checks of a token simulate different senders', async () => {
  const seen = new Set<string>();
  for (let n = 0; n < 2; n += 1) {
    const endpoint = recorder();
    await check('PLAIN', endpoint);
    const senders = endpoint.recorded.flatMap(({ call }) => {
      const [{ blockStateCalls }] = call.params as [{ blockStateCalls: { calls: { from: string }[] }[] }];
      return blockStateCalls.flatMap(({ calls }) => calls.map(({ from }) => from.toLowerCase()));
    });
    const fresh = new Set(senders);
    expect([...fresh].filter((sender) => seen.has(sender))).toEqual([]);
    for (const sender of fresh) seen.add(sender);
  }
});

test('behavior: simulated blocks have the coinbase of real blocks, and each has its own prevrandao', async () => {
  await withRevert(async () => {
    const coinbase = '0x4200000000000000000000000000000000000011';
    await node.call('anvil_setCoinbase', [coinbase]);
    await node.call('anvil_mine', ['0x2']);
    const endpoint = recorder();
    const answer = await check('MAKERSPY', endpoint);
    // MAKERSPY refuses sales in blocks with a coinbase.
    expect(answer.risk_profile.transferability.outcome).toBe('sale-blocked');
    const { mixHash } = await node.call<{ mixHash: Hex }>('eth_getBlockByNumber', ['latest', false]);
    for (const { call } of endpoint.recorded) {
      const [{ blockStateCalls }] = call.params as [
        { blockStateCalls: { blockOverrides: { prevRandao: string }; calls: object[] }[] },
      ];
      // No contract of the chain is called in the first block, and none in a block between two moments.
      const seen = blockStateCalls.slice(1).filter(({ calls }) => calls.length > 0);
      for (const { blockOverrides } of seen) expect(blockOverrides).toMatchObject({ feeRecipient: coinbase });
      const words = seen.map(({ blockOverrides }) => blockOverrides.prevRandao);
      expect(words).not.toContain(mixHash);
      expect(words.every((word) => /^0x[0-9a-f]{64}$/.test(word))).toBe(true);
      expect(new Set(words).size).toBe(words.length);
    }
  });
});

test('behavior: reports no price, and the reason, if decimals() differs by caller', async () => {
  const answer = await check('TWODEC');
  expect(answer.quote).toBeNull();
  expect(answer.sources.quote).toMatch(/^unavailable: read failed: decimals\(\)/);
  expect(answer.reasons.join(' ')).toMatch(/decimals\(\) returns different values/);
  expect(answer.valuation.fdvExecutableUsd).toBeNull();
});

test('behavior: a drained token stays drained if it has pairs with assets that are not tokens', async () => {
  await withRevert(async () => {
    for (const asset of ['0x00000000000000000000000000000000000dead1', '0x00000000000000000000000000000000000dead2']) {
      await createPair(addressOf('DRAINED'), asset as Address);
    }
    const answer = await check('DRAINED');
    expect(answer.liquidityCoverage).toMatchObject({ conclusive: true, venuesUnread: 0, poolsFound: 3 });
    expect(answer).toMatchObject({ verdict: 'avoid', triggers: ['EXIT_LIQUIDITY_DRAINED'] });
  });
});

test('behavior: aborting one caller does not cancel the shared read', async () => {
  const checker = checkerOver(fixture.base, recorder());
  const query = { chain: 'base', token: addressOf('PLAIN') } as const;
  const leaving = new AbortController();
  const [gone, stayed] = [checker.check(query, { signal: leaving.signal }), checker.check(query)];
  leaving.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  expect((await stayed).verdict).toBe('clear');
});

test('behavior: the note of NO_EXIT_VENUE names the venues that are not covered', async () => {
  const answer = await check('NOPOOL');
  expect(answer.triggers).toEqual(['NO_EXIT_VENUE']);
  expect(answer.risk_profile.liquidity.note).toMatch(/Curve, Maverick and Ekubo/);
});

async function createPair(token: Address, asset: Address): Promise<void> {
  const abi = parseAbi(['function createPair(address,address) returns (address)']);
  const data = encodeFunctionData({ abi, args: [token, asset] });
  const from = '0x00000000000000000000000000000000000ca11e';
  await node.call('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  await node.call('anvil_impersonateAccount', [from]);
  const to = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';
  const hash = await node.call<Hex>('eth_sendTransaction', [{ from, to, data, gas: '0x4c4b40' }]);
  await vi.waitUntil(async () => (await node.call('eth_getTransactionReceipt', [hash])) !== null, {
    timeout: 60_000,
    interval: 20,
  });
}
