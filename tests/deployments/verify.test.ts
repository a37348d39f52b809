import { concatHex, encodeFunctionData, getAddress, numberToHex, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AnyCase,
  type ChainName,
  chainNames,
  type Deployment,
  deployments,
  type RpcEndpoint,
  RpcTransportError,
  type VenueRow,
} from '../../engine/index.ts';
import { lowerAddresses } from '../../engine/lowerAddress.ts';
import { type Sandbox, standInFactories, startSandbox } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { sandboxVenues } from '../../server/sandboxMode.ts';
import { createChainReader } from '../../tools/verify/chainReader.ts';

import { toTable } from '../../tools/verify/toTable.ts';
import { verifyDeployment } from '../../tools/verify/verifyDeployment.ts';
import type { Finding } from '../../tools/verify/verifyTypes.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

function endpointOf(chain: ChainName): RpcEndpoint {
  const url = sandbox.chains[chain]?.rpcUrl;
  if (!url) throw new TypeError(`The sandbox has no ${chain}.`);
  return createHttpRpcEndpoint({ url, label: chain, timeoutMs: 20_000 });
}

async function request(chain: ChainName, method: string, ...params: unknown[]): Promise<unknown> {
  const [reply] = await endpointOf(chain).send([{ method, params }], { signal: AbortSignal.timeout(20_000) });
  if (!reply || 'error' in reply) throw new Error(`${method}: ${JSON.stringify(reply)}`);
  return reply.result;
}

async function verify(chain: ChainName, changes: Partial<Deployment> = {}, endpoint = endpointOf(chain)) {
  const deployment = { ...deployments[chain], ...changes };
  return verifyDeployment(await createChainReader(endpoint), chain, deployment, standInFactories[chain]);
}

/** Names of the rows with this verdict in at least one check. */
function subjectsWith(findings: Finding[], verdict: Finding['verdict']): string[] {
  return [...new Set(findings.filter((finding) => finding.verdict === verdict).map(({ subject }) => subject))];
}

/** Venues whose checks are all ok, without their addresses. */
function verifiedVenues(chain: ChainName, findings: Finding[]): string[] {
  return deployments[chain].venues
    .map((row) => ({ row, own: findings.filter(({ subject }) => subject === `${row.venue} ${addressOf(row)}`) }))
    .filter(({ own }) => own.length > 0 && own.every(({ verdict }) => verdict === 'ok'))
    .map(({ row }) => row.venue);
}

const addressOf = (row: VenueRow) => getAddress('manager' in row ? row.manager : row.factory);

/** Venues that the sandbox deploys completely. Its Base factories lack tiers that governance enabled later. */
const completeVenues: Record<ChainName, string[]> = {
  base: [
    'uniswap-v2',
    'uniswap-v4',
    'aerodrome',
    'aerodrome-slipstream',
    'aerodrome-slipstream',
    'pancakeswap-v2',
    'pancakeswap-v3',
    'sushiswap-v2',
    'sushiswap-v3',
  ],
  polygon: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'quickswap-v2', 'quickswap-v3', 'sushiswap-v2', 'sushiswap-v3'],
  arbitrum: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'camelot-v3', 'sushiswap-v2', 'sushiswap-v3', 'pancakeswap-v3'],
};

test.each(chainNames)('default: on the sandbox of %s all complete venues are ok, and no row differs', async (chain) => {
  const findings = await verify(chain);
  expect(subjectsWith(findings, 'differs')).toEqual([]);
  expect(subjectsWith(findings, 'unread')).toEqual([]);
  expect(verifiedVenues(chain, findings)).toEqual(expect.arrayContaining(completeVenues[chain]));
  expect(toTable(findings)).toMatch(/\d+ ok, \d+ missing, 0 differs, 0 unread$/);
});

test('default: on Base pools have their mainnet addresses, and rows that are not deployed are missing', async () => {
  const findings = await verify('base');
  const known = findings.filter(({ check }) => check.startsWith('known pool '));
  expect(known.filter(({ verdict }) => verdict === 'ok').length).toBeGreaterThanOrEqual(11);
  // The sandbox's QuickSwap v4 has no WETH/USDC pool.
  expect(known.filter(({ verdict }) => verdict !== 'ok')).toEqual([
    expect.objectContaining({ subject: expect.stringMatching(/^quickswap-v4 /), verdict: 'missing' }),
  ]);
  const missing = subjectsWith(findings, 'missing').map((subject) => subject.split(' ')[0]);
  expect(missing).toEqual(expect.arrayContaining(['alienbase-v2', 'alienbase-v3', 'hydrex', 'USDbC']));
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'tiers', verdict: 'missing', note: 'the factory has no 200, 300, 400' }),
  );
});

test('behavior: venues of the sandbox alone are not in the deployments, and their pools are at the derived addresses', async () => {
  const venues = lowerAddresses<readonly VenueRow[]>(sandboxVenues.polygon ?? []);
  const production = deployments.polygon.venues.map(addressOf);
  expect(venues.map(addressOf).filter((address) => production.includes(address))).toEqual([]);
  const findings = await verify('polygon', {
    venues,
    routingAssets: deployments.polygon.pricingAssets,
    feeds: {},
  });
  const own = findings.filter(({ subject }) => subject.startsWith('quickswap-v4'));
  expect(own.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual(['code ok', 'factory() ok', 'derived ok']);
});

test('error: a row whose pools report another factory differs', async () => {
  const pool = sandbox.chains.base?.pools.find(({ venue }) => venue === 'sushiswap-v2')?.pool;
  if (!pool) throw new TypeError('The sandbox has no Sushi v2 pool.');
  const impostor = '0x00000000000000000000000000000000000fac70';
  // Returns that pool for every call: PUSH20 pool, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
  await request('base', 'anvil_setCode', impostor, concatHex(['0x73', pool, '0x5f5260205ff3']));
  const findings = await verify('base', {
    venues: [{ family: 'uniswap-v2', venue: 'impostor', factory: impostor, feePips: 3000 }],
  });
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: 'factory()',
      verdict: 'differs',
      note: expect.stringContaining('0x71524B4f93c58fcbF659783284E38825f0622859'),
    }),
  );
});

test.each<[string, AnyCase<VenueRow>, string]>([
  [
    'another family',
    { family: 'algebra', venue: 'wrong', factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6' },
    'look-up',
  ],
  [
    'tiers of another fork',
    {
      family: 'uniswap-v3',
      venue: 'wrong',
      factory: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
      fees: [100, 500, 3000],
    },
    'tiers',
  ],
  [
    'missing spacings',
    {
      family: 'uniswap-v3',
      venue: 'wrong',
      factory: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
      tickSpacings: [1, 50, 100, 200, 2000],
    },
    'tiers',
  ],
  [
    'a manager that is a factory',
    {
      family: 'uniswap-v4',
      venue: 'wrong',
      manager: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      shapes: [{ fee: 500, tickSpacing: 10 }],
    },
    'pools',
  ],
])('error: a row with %s differs', async (_what, row, check) => {
  const findings = await verify('base', {
    venues: lowerAddresses<readonly VenueRow[]>([row]),
    pricingAssets: deployments.base.pricingAssets.slice(0, 2),
  });
  expect(findings).toContainEqual(expect.objectContaining({ check, verdict: 'differs' }));
});

test('error: wrong decimals, another symbol, another feed and a stale feed differ', async () => {
  const [weth, usdc] = deployments.base.pricingAssets;
  if (!weth || !usdc) throw new TypeError('Base has no pricing assets.');
  const btc = { address: '0x07da0e54543a844a80abe69c8a12f22b3aa59f9d', heartbeatSeconds: 1500 } as const;
  const findings = await verify('base', {
    venues: [],
    routingAssets: [
      { ...weth, decimals: 8 },
      { ...usdc, symbol: 'USDX' },
    ],
    feeds: {
      '0x01': { ...btc, description: 'ETH / USD' },
      '0x02': { ...btc, description: 'cbBTC / USD', heartbeatSeconds: -1 },
    },
  });
  const differing = findings.filter(({ verdict }) => verdict === 'differs').map(({ note }) => note);
  expect(differing).toEqual([
    '18 decimals, not 8',
    'symbol is "USDC"',
    'description is "cbBTC / USD"',
    expect.stringMatching(/ s old, allowed -1$/),
  ]);
});

test('error: a tier that governance enabled and the row lacks differs', async () => {
  const abi = parseAbi(['function owner() view returns (address)', 'function enableFeeAmount(uint24, int24)']);
  const factory = '0x33128a8fC17869897dcE68Ed026d694621f6FDfD';
  const snapshot = await request('base', 'evm_snapshot');
  const word = (await request('base', 'eth_call', {
    to: factory,
    data: encodeFunctionData({ abi, functionName: 'owner' }),
  })) as string;
  const owner = `0x${word.slice(-40)}`;
  await request('base', 'anvil_setBalance', owner, numberToHex(10n ** 18n));
  await request('base', 'anvil_impersonateAccount', owner);
  const data = encodeFunctionData({ abi, functionName: 'enableFeeAmount', args: [800, 16] });
  await request('base', 'eth_sendTransaction', { from: owner, to: factory, data });
  await request('base', 'evm_mine');
  const findings = await verify('base');
  await request('base', 'evm_revert', snapshot);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'tiers', verdict: 'differs', note: 'the factory also has 800' }),
  );
});

test('behavior: a value that a node does not return is unread, never missing', async () => {
  const working = endpointOf('base');
  let requests = 0;
  const failing: RpcEndpoint = {
    label: 'failing',
    async send(calls, options) {
      requests += 1;
      if (requests > 1) throw new RpcTransportError('failing cannot be reached.');
      return working.send(calls, options);
    },
  };
  const findings = await verify('base', {}, failing);
  expect(new Set(findings.map(({ verdict }) => verdict))).toEqual(new Set(['unread']));
});

test('behavior: a value is unread, not different, if the node refuses its call', async () => {
  const working = endpointOf('base');
  const limited: RpcEndpoint = {
    label: 'limited',
    async send(calls, options) {
      const replies = await working.send(calls, options);
      return calls.map(({ method }, index) =>
        method === 'eth_call'
          ? { error: { code: -32005, message: 'rate limit exceeded' } }
          : (replies[index] ?? { result: null }),
      );
    },
  };
  const findings = await verify('base', { venues: deployments.base.venues.slice(0, 3) }, limited);
  expect(subjectsWith(findings, 'differs')).toEqual([]);
  const missing = findings.filter(({ verdict }) => verdict === 'missing');
  expect(missing.every(({ note }) => note.startsWith('no code'))).toBe(true);
  expect(subjectsWith(findings, 'unread').length).toBeGreaterThan(5);
});
