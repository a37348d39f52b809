import { type Address, getAddress, type Hex, isHex, toHex } from 'viem';
import { type ChainName, chainNames } from '../chain/chains.ts';
import { decodeWords, toWord } from '../chain/words.ts';
import { keccak256 } from '../keccak256.ts';
import { type AnyCase, type LowerAddress, toLowerAddress } from '../lowerAddress.ts';
import { deployments } from '../venues/deployments/deployments.ts';
import { kinds, nativeCurrency, noHooks } from '../venues/kinds.ts';
import type { Slot } from '../venues/slot.ts';
import { toSlots } from '../venues/toSlots.ts';
import type { V4PoolShape } from '../venues/uniswapV4/row.ts';
import type { RoutingAsset, VenueRow } from '../venues/venueTypes.ts';
import type { PoolCreation } from './poolIndex.ts';

/** topic0 of pool creation events; the pair's currencies are indexed in all of them. */
export const poolTopics = {
  /** PairCreated(address indexed,address indexed,address,uint256) */
  pair: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
  /** PoolCreated(address indexed,address indexed,uint24 indexed fee,int24 tickSpacing,address pool) */
  v3: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  /** PoolCreated(address indexed,address indexed,int24 indexed tickSpacing,address pool) */
  slipstream: '0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2',
  /** PoolCreated(address indexed,address indexed,bool indexed stable,address pool,uint256) */
  solidly: '0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e',
  /** Pool(address indexed,address indexed,address pool) */
  algebra: '0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db',
  /**
   * CustomPool(address indexed deployer,address indexed,address indexed,address pool): Integral's, in addition to the
   * pair's default pool
   */
  'algebra-custom': '0x8a5f030f5fc13b04a1e4ef7c47177e3d76b0e80e1d9be9843db37caa5b7b9b8f',
  /**
   * Initialize(bytes32 indexed id,address indexed,address indexed,uint24 fee,int24 tickSpacing,address
   * hooks,uint160,int24)
   */
  v4: '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
} as const;

type PoolEvent = keyof typeof poolTopics;

/** The fields of a node's log that are read. */
export interface PoolLog {
  address: Address;
  topics: readonly Hex[];
  data: Hex;
}

/** Pool creation events of a chain's factories: which logs a pool index reads, and how it decodes them. */
export interface PoolEvents {
  /** An index built with another scope (other factories, events or lists) is invalid. */
  scope: string;
  /** The filter of `eth_getLogs` that finds every new pool, whatever its tokens. */
  filter: { address: LowerAddress[]; topics: [Hex[]] };
  /** Undefined: not a pool event, or a pool that each read of its tokens finds through the factory. */
  toCreation(log: PoolLog & { blockNumber: number }): PoolCreation | undefined;
}

/**
 * The events of a chain's covered factories. Excludes pools of a pricing asset with a listed fee and shape: each read of
 * the other token finds them through their factory, and nearly all pools are of this kind.
 */
export function poolEventsOf(
  chain: ChainName,
  extra: {
    extraVenues?: Partial<Record<ChainName, readonly AnyCase<VenueRow>[]>> | undefined;
    extraV4Shapes?: Partial<Record<ChainName, readonly AnyCase<V4PoolShape>[]>> | undefined;
  } = {},
): PoolEvents {
  const { venues, pricingAssets } = deployments[chain];
  const slots = toSlots([...venues, ...(extra.extraVenues?.[chain] ?? [])], extra.extraV4Shapes?.[chain]);
  const address = factoriesOf(slots);
  // Checksummed, because databases of earlier releases contain this hash.
  const scopeSlots = slots.map((slot) => ({
    ...slot,
    factory: getAddress(slot.factory),
    hooks: getAddress(slot.hooks),
  }));
  const assets = pricingAssets.map(({ address: asset }) => getAddress(asset));
  const scope = keccak256(toHex(JSON.stringify([chainNames.indexOf(chain), poolTopics, scopeSlots, assets])));
  return {
    scope,
    filter: { address, topics: [Object.values(poolTopics)] },
    toCreation(log) {
      const creation = toPoolCreation(log);
      return creation && isListed(creation, slots, pricingAssets) ? undefined : creation;
    },
  };
}

/** Factories and singletons, each once. */
export const factoriesOf = (slots: readonly Slot[]): LowerAddress[] => [
  ...new Set(slots.map(({ factory }) => factory)),
];

/** Decodes one log; undefined if it is not a pool creation event. */
export function toPoolCreation(log: PoolLog & { blockNumber: number }): PoolCreation | undefined {
  const { address, topics, data, blockNumber } = log;
  // Nodes can return malformed logs; they are skipped.
  const validTopics = Array.isArray(topics) && topics.every((word) => isHex(word) && word.length === 66) ? topics : [];
  const [topic, first, second, third] = validTopics;
  const event = eventOf(topic);
  if (!event || !isHex(address) || !first || !second || !isHex(data)) return undefined;
  const words = decodeWords(data, 8);
  const toRecord = (currencies: [Hex, Hex], id: Hex, rest: Partial<PoolCreation> = {}): PoolCreation => ({
    event,
    factory: toLowerAddress(address),
    id,
    currency0: toAddress(currencies[0]),
    currency1: toAddress(currencies[1]),
    fee: 0,
    tickSpacing: 0,
    hooks: noHooks,
    blockNumber,
    ...rest,
  });
  const uint24 = (word = 0n) => Number(BigInt.asUintN(24, word));
  const int24 = (word = 0n) => Number(BigInt.asIntN(24, word));
  if (event === 'v4') {
    if (!third) return undefined;
    const [fee, spacing, hooks = 0n] = words;
    return toRecord([second, third], first.toLowerCase() as Hex, {
      fee: uint24(fee),
      tickSpacing: int24(spacing),
      hooks: toAddress(hooks),
    });
  }
  const pool = toAddress(words[event === 'v3' ? 1 : 0] ?? 0n);
  if (event === 'algebra-custom') return third ? toRecord([second, third], pool) : undefined;
  const shape = BigInt(third ?? '0x0');
  if (event === 'slipstream') return toRecord([first, second], pool, { tickSpacing: int24(shape) });
  return toRecord([first, second], pool, { fee: event === 'v3' || event === 'solidly' ? uint24(shape) : 0 });
}

const eventOf = (topic: string | undefined) =>
  (Object.keys(poolTopics) as PoolEvent[]).find((event) => poolTopics[event] === topic?.toLowerCase());

/** Whether a read of its tokens finds the pool through the slots, so that the index can omit it. */
function isListed(creation: PoolCreation, slots: readonly Slot[], pricingAssets: readonly RoutingAsset[]): boolean {
  const { currency0, currency1 } = creation;
  const isPricingAsset = (asset: string) =>
    asset === nativeCurrency || pricingAssets.some(({ address }) => address === asset);
  return (isPricingAsset(currency0) || isPricingAsset(currency1)) && hasSlot(creation, slots);
}

/** Whether a slot has this pool key. */
export function hasSlot({ event, factory, fee, tickSpacing, hooks, currency0 }: PoolCreation, slots: readonly Slot[]) {
  const own = slots.filter((slot) => slot.factory === factory);
  if (event === 'v3') return own.some((slot) => slot.fee === fee);
  if (event === 'slipstream') return own.some((slot) => slot.tickSpacing === tickSpacing);
  // A factory returns custom pools only for a known deployer.
  if (event === 'algebra-custom') return false;
  if (event !== 'v4') return own.length > 0;
  const kind = currency0 === nativeCurrency ? kinds.v4Native : kinds.v4;
  return own.some(
    (slot) => slot.kind === kind && slot.fee === fee && slot.tickSpacing === tickSpacing && slot.hooks === hooks,
  );
}

function toAddress(word: Hex | bigint): LowerAddress {
  const text = typeof word === 'bigint' ? toWord(word) : word.slice(2);
  return toLowerAddress(`0x${text.slice(-40)}`);
}
