import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import {
  type PoolPlan,
  reopenChain,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
} from '../../sandbox/index.ts';
import { operatorAddress } from '../../sandbox/placement/operator.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';

const abi = parseAbi([
  'function factory() view returns (address)',
  'function owner() view returns (address)',
  'function feeManager() view returns (address)',
  'function setFeeProtocol(uint8, uint8)',
  'function setCommunityFee(uint8, uint8)',
  'function setCustomFee(address, uint256)',
  'function setProtocolFeeController(address)',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function setProtocolFee(PoolKey key, uint24)',
]);

/** Tokens of 6, 8 and 18 decimals that transfer exactly the requested amount. */
const symbols = {
  base: ['WETH', 'USDC', 'USDT', 'DAI', 'cbBTC', 'AERO', 'ELM', 'OAK'],
  polygon: ['WPOL', 'USDC', 'USDC.e', 'USDT', 'WETH', 'DAI', 'WBTC', 'OAK'],
  arbitrum: ['WETH', 'USDC', 'USDC.e', 'USDT', 'DAI', 'WBTC', 'ARB', 'OAK'],
} as const;
const v3Tiers = [100, 500, 3000, 10_000];
const tiers: Record<string, readonly number[]> = {
  'uniswap-v3': v3Tiers,
  'sushiswap-v3': v3Tiers,
  'uniswap-v4': v3Tiers,
  'pancakeswap-v3': [100, 500, 2500, 10_000],
  'aerodrome-slipstream': [1, 50, 100, 200, 2000],
};
/** Percent. Equal weights and quotients of 2 and 4 have powers without a logarithm. */
const weights = [
  [50, 50],
  [80, 20],
  [20, 80],
  [66, 33 + 1],
  [1, 99],
  [99, 1],
  [37, 63],
] as const;
const v4Managers = {
  base: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
  polygon: '0x67366782805870060151383F4BbFF9daB53e5cD6',
  arbitrum: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
} as const;

/** Adds generated pools of every venue of the chain, most of them in many overlapping ranges, and sets protocol fees. */
export async function listPools(
  chain: SandboxChain,
  wallets: readonly SandboxWallet[],
  random: () => number,
): Promise<SandboxChain> {
  const builder = await reopenChain(chain, wallets);
  const listed = await builder.list({ tokens: [], pools: plan(chain, random) });
  await setFees(listed, random);
  return listed;
}

function plan(chain: SandboxChain, random: () => number): PoolPlan[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const addressOf = (symbol: string) => chain.tokens.find((token) => token.symbol === symbol)?.address.toLowerCase();
  const taken = new Set(chain.pools.map(({ token0, token1 }) => pairKey(token0, token1)));
  const plans: PoolPlan[] = [];
  // The published factories of Balancer v2 are on Polygon and Arbitrum.
  const venues = chain.name === 'base' ? [] : ['balancer-v2'];
  for (const venue of new Set([...chain.pools.map((pool) => pool.venue), ...venues])) {
    const count = venue === 'balancer-v2' ? 6 : venue.endsWith('v2') ? 1 : 3;
    const used = new Set<string>();
    for (let index = 0; index < count; ) {
      const pair = [pick(symbols[chain.name]), pick(symbols[chain.name])] as const;
      const key = pairKey(addressOf(pair[0]) ?? '', addressOf(pair[1]) ?? '');
      if (pair[0] === pair[1] || taken.has(key) || used.has(key)) continue;
      used.add(key);
      index += 1;
      const usd = Math.round(10 ** (3.5 + random() * 3));
      const tier = tiers[venue] && pick(tiers[venue]);
      if (venue === 'balancer-v2') {
        plans.push({ venue, pair, usd, tier: pick([1, 37, 3000, 10_000, 100_000]), weights: pick(weights) });
      } else if (venue.endsWith('v2') || venue === 'aerodrome') {
        plans.push({ venue, pair, usd, skewBps: skew(random) });
      } else {
        plans.push({ venue, pair, usd, ...(tier ? { tier } : {}), ...ranges(usd, random, tier === 1 || tier === 100) });
      }
    }
  }
  // A stable pair begins with equal amounts.
  if (chain.name === 'base') plans.push({ venue: 'aerodrome', pair: ['USDT', 'DAI'], usd: 250_000, stable: true });
  return plans;
}

const skew = (random: () => number) => Math.round((random() - 0.5) * 200);
const pairKey = (a: string, b: string) => [a.toLowerCase(), b.toLowerCase()].sort().join();

/** A wide position and up to thirty others: narrow, overlapping, some far from the price, with gaps between them. */
function ranges(usd: number, random: () => number, fine: boolean): Pick<PoolPlan, 'range' | 'steps'> {
  const around = (spread: number, width: number): readonly [number, number] => {
    const centre = Math.exp((random() - 0.5) * spread);
    return [centre * (1 - width), centre * (1 + width)];
  };
  const steps = Array.from({ length: 4 + Math.floor(random() * 27) }, () => ({
    usd: Math.max(1, Math.round(usd * 10 ** (random() * 3 - 2))),
    range: around(random() < 0.6 ? 0.1 : 2, 0.0002 + random() ** 3 * 0.4),
  }));
  // A full range of the finest spacing takes the node thousands of steps per quote.
  const range = fine || random() < 0.6 ? ([0.2 + random() * 0.75, 1.05 + random() * 3] as const) : undefined;
  return { ...(range ? { range } : {}), steps };
}

async function setFees(chain: SandboxChain, random: () => number): Promise<void> {
  const node = createNodeClient(chain.rpcUrl);
  const readAddress = async (to: Hex, name: 'factory' | 'owner' | 'feeManager') =>
    `0x${(await node.call<Hex>('eth_call', [{ to, data: encodeFunctionData({ abi, functionName: name }) }, 'latest'])).slice(-40)}` as Address;
  const send = async (from: Address, to: Hex, data: Hex) => {
    await node.call('anvil_impersonateAccount', [from]);
    await node.call('anvil_setBalance', [from, numberToHex(10n ** 24n)]);
    const receipt = await node.call<{ status: Hex }>('eth_sendTransactionSync', [{ from, to, data, gas: '0x200000' }]);
    if (receipt.status !== '0x1') throw new Error(`Setting a fee of ${to} on ${chain.name} reverted.`);
  };
  const manager = v4Managers[chain.name];
  const controller = encodeFunctionData({ abi, functionName: 'setProtocolFeeController', args: [operatorAddress] });
  await send(operatorAddress, manager, controller);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  for (const { venue, pool, key } of chain.pools) {
    if (random() < 0.4) continue;
    if (key) {
      const fee = between(0, 1000) | (between(0, 1000) << 12);
      await send(
        operatorAddress,
        manager,
        encodeFunctionData({ abi, functionName: 'setProtocolFee', args: [key, fee] }),
      );
      continue;
    }
    if (venue === 'uniswap-v3' || venue === 'sushiswap-v3') {
      const args = [between(4, 10), between(4, 10)] as const;
      await send(
        await readAddress(await readAddress(pool, 'factory'), 'owner'),
        pool,
        encodeFunctionData({ abi, functionName: 'setFeeProtocol', args }),
      );
    } else if (venue === 'quickswap-v3' || venue === 'camelot-v3') {
      const args = [between(1, 250), between(1, 250)] as const;
      await send(
        await readAddress(await readAddress(pool, 'factory'), 'owner'),
        pool,
        encodeFunctionData({ abi, functionName: 'setCommunityFee', args }),
      );
    } else if (venue === 'aerodrome') {
      const factory = await readAddress(pool, 'factory');
      const data = encodeFunctionData({ abi, functionName: 'setCustomFee', args: [pool, BigInt(between(1, 100))] });
      await send(await readAddress(factory, 'feeManager'), factory, data);
    }
  }
}

export const describePool = ({ venue, pool }: SandboxPool) => `${venue} ${pool.slice(0, 10)}`;
