import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseUnits,
  toHex,
} from 'viem';
import { hostileFactoryArtifact } from '../../contracts/artifacts/sandbox/HostileFactory.ts';
import { hostileHookArtifact } from '../../contracts/artifacts/sandbox/HostileHook.ts';
import { hostilePoolArtifact } from '../../contracts/artifacts/sandbox/HostilePool.ts';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { trapTokenArtifact } from '../../contracts/artifacts/sandbox/TrapToken.ts';
import { makerAddress, type OpenChain, type SandboxChain, type SandboxPool } from '../../sandbox/index.ts';
import { ledgerToken, placed } from '../engine/ledgerToken.ts';
import { poolsOfPair } from '../engine/market.ts';
import { v4Abi } from '../engine/openV4Pool.ts';

/** Faults of HostilePool, in the contract's order. */
export const poolFaults = [
  'Reverts',
  'BurnsGas',
  'AnswersHuge',
  'RevertsHuge',
  'AnswersShort',
  'AnswersOnes',
  'LiesInState',
  'ForgesData',
  'ForgesResult',
  'Reenters',
  'Baits',
  'ForgesProof',
] as const;
export type PoolFault = (typeof poolFaults)[number];
/** Faults that affect reads and fills. `ForgesProof` only forges a result of the plan lens. */
export const quotedPoolFaults = poolFaults.filter((fault) => fault !== 'ForgesProof');

/** Replaces the code of a pool with HostilePool, which has this fault. */
export async function placeHostilePool(builder: OpenChain, { pool, token0, token1 }: SandboxPool, fault: PoolFault) {
  const { creation } = placed('hostile pool', hostilePoolArtifact, [poolFaults.indexOf(fault), token0, token1]);
  await builder.place([{ address: pool as Address, creation }]);
}

/** Returns one WETH/USDC pool of each venue, by default of all venues. Excludes pools inside singleton contracts. */
export function poolsToReplace(chain: SandboxChain, venues?: readonly string[]): SandboxPool[] {
  const market = poolsOfPair(chain, chain.wrappedNative, chain.usdc).filter(({ key }) => !key);
  const first = new Map([...market].reverse().map((pool) => [pool.venue, pool]));
  return (venues ?? [...new Set(market.map(({ venue }) => venue))]).flatMap((venue) => first.get(venue) ?? []);
}
/** One venue of each family. */
export const usualVenues = ['uniswap-v2', 'uniswap-v3', 'aerodrome', 'aerodrome-slipstream', 'pancakeswap-v3'];

/** Faults of HostileFactory, in the contract's order. */
export const factoryFaults = [
  'Reverts',
  'BurnsGas',
  'AnswersHuge',
  'AnswersShort',
  'AnswersOnes',
  'NamesEmptyAddress',
  'NamesToken',
];

/** Replaces the code of a factory with HostileFactory. @param token the address that `NamesToken` returns as a pool */
export async function placeHostileFactory(builder: OpenChain, factory: Address, fault: string, token: Address) {
  const { creation } = placed('factory', hostileFactoryArtifact, [factoryFaults.indexOf(fault), token]);
  await builder.place([{ address: factory, creation }]);
}

/** Faults of HostileHook, in the contract's order. */
export const hookFaults = ['Reverts', 'BurnsGas', 'AnswersHuge', 'Reenters', 'AddsUnpaidOutput', 'EnlargesOrder'];

/** Returns a hook address whose permission bits allow beforeSwap, afterSwap and their changes of the amounts. */
export function hookAddressOf(fault: string): Address {
  const permissions = (1n << 7n) | (1n << 6n) | (1n << 3n) | (1n << 2n);
  const random = BigInt(keccak256(toHex(`hook ${fault}`))) & ((1n << 160n) - 1n);
  return getAddress(numberToHex(((random >> 14n) << 14n) | permissions, { size: 20 }));
}

/** Deploys the hook of a pool key and opens the pool at about 3000 USDC for one WETH, the price of the other pools. */
export async function openHookedPool(
  builder: OpenChain,
  manager: Address,
  key: NonNullable<SandboxPool['key']>,
  fault: string,
): Promise<void> {
  const { creation } = placed(fault, hostileHookArtifact, [hookFaults.indexOf(fault)]);
  await builder.place([{ address: key.hooks, creation }]);
  const sqrtPriceX96 = 4_339_505_179_874_779_489_431_521n;
  const params = {
    tickLower: -887_220,
    tickUpper: 887_220,
    liquidityDelta: parseUnits('0.05', 18),
    salt: numberToHex(0, { size: 32 }) as Hex,
  };
  const add = { abi: marketMakerArtifact.abi, functionName: 'addV4Liquidity' } as const;
  await builder.perform([
    { to: manager, data: encodeFunctionData({ abi: v4Abi, functionName: 'initialize', args: [key, sqrtPriceX96] }) },
    { to: makerAddress, data: encodeFunctionData({ ...add, args: [manager, key, params] }) },
  ]);
}

/** Traps of TrapToken, in the contract's order. */
export const traps = [
  'RevertInTransfer',
  'BurnInTransfer',
  'HugeAnswerInTransfer',
  'FalseInTransfer',
  'NothingInTransfer',
  'ReenterInTransfer',
  'RevertInBalance',
  'BurnInBalance',
  'HugeAnswerInBalance',
  'FallingBalance',
  'HalvedBalance',
] as const;

const usd = 200_000;
/** A token for each trap, with pools of four families. */
export const trapMarket = {
  tokens: traps.map((trap, index) => ledgerToken(trap, 2, trapTokenArtifact, [index])),
  pools: traps.flatMap((trap) => [
    { venue: 'uniswap-v2', pair: [trap, 'USDC'] as const, usd },
    { venue: 'uniswap-v3', pair: [trap, 'WETH'] as const, usd, tier: 3000 },
    { venue: 'aerodrome', pair: [trap, 'WETH'] as const, usd },
    { venue: 'uniswap-v4', pair: [trap, 'USDC'] as const, usd, tier: 3000 },
  ]),
};

/** Activates the traps. Until then the tokens behave correctly, so that their pools can be funded. */
export async function armTraps(builder: OpenChain): Promise<void> {
  const data = encodeFunctionData({ abi: trapTokenArtifact.abi, functionName: 'arm' });
  await builder.perform(trapMarket.tokens.map(({ address }) => ({ to: address, data })));
}
