import {
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  prepareEncodeFunctionData,
} from 'viem';
import { type ChainCall, multicall3 } from '../../chainCall.ts';
import type { NativePricing } from '../../paymentConfig.ts';
import { type Fees, lowest } from './fees.ts';
import { callTogether, multicallAbi, toWord } from './readEvmFunds.ts';

const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function decimals() view returns (uint8)',
]);
const round = parseAbiParameters('uint80, int256 answer, uint256, uint256 updatedAt, uint80');
const oracleAbi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)']);
const l1FeeCall = prepareEncodeFunctionData({ abi: oracleAbi, functionName: 'getL1FeeUpperBound' });

/** Cache lifetime. Prices of L1 data change with each L1 block, every 12 s. */
const readingLifeMs = 4_000;
/** Bytes. Transaction sizes are rounded up to a multiple, so that payments share a reading. */
const sizeStep = 256;
/** Bytes of a transaction without its call data. */
const envelopeBytes = 100;
const maxDecimals = 18n;

/** The cost of a settlement beyond its gas, and the conversion of native coin to US dollars. */
export interface CostReading {
  kind: 'read';
  /** Upper bound of the fee for L1 data in wei; zero where the gas estimate contains it. */
  l1Fee: bigint;
  /** Millionths of a US dollar, rounded up. */
  toMicroUsd(wei: bigint): bigint;
  /** Wei, rounded down. */
  toWei(microUsd: bigint): bigint;
}

/** `what`: the value that cannot be read, for messages. */
export type Cost = CostReading | { kind: 'unreadable'; what: string };

/** Wei in one native coin. */
const scale = 10n ** 18n;

/** @param answer US dollars for one native coin, with `decimals` decimals */
function toUsdPrice(answer: bigint, decimals: bigint): Pick<CostReading, 'toMicroUsd' | 'toWei'> {
  const divisor = scale * 10n ** decimals;
  const factor = answer * 1_000_000n;
  return {
    toMicroUsd: (wei) => (wei * factor + divisor - 1n) / divisor,
    toWei: (microUsd) => (microUsd * divisor) / factor,
  };
}

const sizeClass = (dataBytes: number): number => Math.ceil((dataBytes + envelopeBytes) / sizeStep) * sizeStep;

/**
 * The calls whose results `decodeCost` decodes.
 * @param dataBytes length of the transaction's call data or init code
 */
export function costCalls({ feed, l1FeeOracle }: NativePricing, dataBytes: number) {
  const size = BigInt(sizeClass(dataBytes));
  return [
    { target: feed.address, callData: encodeFunctionData({ abi: feedAbi, functionName: 'latestRoundData' }) },
    { target: feed.address, callData: encodeFunctionData({ abi: feedAbi, functionName: 'decimals' }) },
    {
      target: multicall3,
      callData: encodeFunctionData({ abi: multicallAbi, functionName: 'getCurrentBlockTimestamp' }),
    },
    ...(l1FeeOracle ? [{ target: l1FeeOracle, callData: encodeFunctionData({ ...l1FeeCall, args: [size] }) }] : []),
  ];
}

/** A contract without code, a stale round and a price of zero count as unreadable, not as free. */
export function decodeCost(
  { feed, l1FeeOracle }: NativePricing,
  [answered, places, clock, fee]: readonly { success: boolean; returnData: Hex }[],
): Cost {
  const l1Fee = l1FeeOracle ? fee && toWord(fee) : 0n;
  if (l1Fee === undefined) return { kind: 'unreadable', what: 'the fee for L1 data' };
  const now = clock && toWord(clock);
  const decimals = places && toWord(places);
  if (!answered?.success || answered.returnData.length !== 2 + 5 * 64 || now === undefined || decimals === undefined) {
    return { kind: 'unreadable', what: 'the price of the native coin' };
  }
  const [, answer, , updatedAt] = decodeAbiParameters(round, answered.returnData);
  if (answer <= 0n || decimals > maxDecimals) return { kind: 'unreadable', what: 'the price of the native coin' };
  // By the chain's clock, since the feed's timestamp is the chain's too.
  if (now - updatedAt > BigInt(feed.heartbeatSeconds)) {
    return { kind: 'unreadable', what: 'a fresh price of the native coin' };
  }
  return { kind: 'read', l1Fee, ...toUsdPrice(answer, decimals) };
}

/**
 * Reads the native coin's price feed and, on OP Stack chains, the fee for L1 data, in one call that is cached for four
 * seconds.
 */
export function createCostReader(
  callVerified: ChainCall,
  pricing: NativePricing,
): {
  /** @param dataBytes length of the transaction's call data or init code */
  read(dataBytes: number): Promise<Cost>;
  /** US dollars, with the price that was read last; undefined before the first read. */
  toUsd(wei: bigint): number | undefined;
} {
  let latest: CostReading | undefined;
  const kept = new Map<number, { reading: Promise<Cost>; until: number }>();

  async function readNow(size: number): Promise<Cost> {
    const cost = decodeCost(pricing, await callTogether(callVerified, costCalls(pricing, size)));
    if (cost.kind === 'read') latest = cost;
    return cost;
  }

  return {
    toUsd: (wei) => latest && Number(latest.toMicroUsd(wei)) / 1_000_000,
    read(dataBytes) {
      const size = sizeClass(dataBytes);
      const known = kept.get(size);
      if (known && Date.now() < known.until) return known.reading;
      const entry = { reading: readNow(dataBytes), until: Date.now() + readingLifeMs };
      kept.set(size, entry);
      // A failed reading is not cached: the next payment reads again.
      const forget = () => {
        if (kept.get(size) === entry) kept.delete(size);
      };
      entry.reading.then(({ kind }) => kind === 'read' || forget(), forget);
      return entry.reading;
    },
  };
}

/** Polygon's validators reject tips below 25 gwei; elsewhere nodes suggest at least 0.001 gwei. */
const leastTip = (chainId: number): bigint => (chainId === 137 ? 25_000_000_000n : 1_000_000n);

export type Capped = { kind: 'fits'; fees: Fees; microUsd: bigint } | { kind: 'tooExpensive'; microUsd: bigint };

/** Maximum wei for the gas of a call, so that gas and L1 fee cost less than its price. */
export const affordableGas = (price: bigint, cost: CostReading): bigint => cost.toWei(price) - cost.l1Fee - 1n;

/** Cost of a transaction with the lowest tip, in millionths of a US dollar. A call must cost more to be settled. */
export function leastCost(
  chainId: number,
  { gas, fees, cost }: { gas: bigint; fees: Fees; cost: CostReading },
): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const least = lowest(leastTip(chainId), maxPriorityFeePerGas);
  return cost.toMicroUsd(gas * (maxFeePerGas - maxPriorityFeePerGas + least) + cost.l1Fee);
}

/**
 * Keeps the maximum cost of a transaction below the price of the call. If it is higher, the tip is lowered, which a node
 * only suggests. The base fee cannot be lowered: if it alone costs too much, the result is `tooExpensive`.
 *
 * @param gas the transaction's gas limit
 * @param price of the call in millionths of a US dollar
 */
export function capCost(
  chainId: number,
  { gas, fees, price, cost }: { gas: bigint; fees: Fees; price: bigint; cost: CostReading },
): Capped {
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const baseFees = maxFeePerGas - maxPriorityFeePerGas;
  const least = lowest(leastTip(chainId), maxPriorityFeePerGas);
  const affordable = affordableGas(price, cost);
  if (affordable < gas * (baseFees + least)) {
    return { kind: 'tooExpensive', microUsd: leastCost(chainId, { gas, fees, cost }) };
  }
  const tip = lowest(maxPriorityFeePerGas, affordable / gas - baseFees);
  const capped = { ...fees, maxPriorityFeePerGas: tip, maxFeePerGas: baseFees + tip };
  return { kind: 'fits', fees: capped, microUsd: cost.toMicroUsd(gas * capped.maxFeePerGas + cost.l1Fee) };
}
